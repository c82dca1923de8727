import { defineConfig } from "vite";

// Every view is one segment below `explore/`, and so is every file: relative links hold under any prefix.
export default defineConfig({
  base: "./",
  build: {
    assetsDir: "",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    target: "es2022",
    rollupOptions: {
      onwarn: (warning, warn) => (warning.code === "MODULE_LEVEL_DIRECTIVE" ? undefined : warn(warning)),
      output: {
        experimentalMinChunkSize: 20_000, // Each file is an invocation of the API's function.
        // What all views need changes less often than the views: a browser keeps it.
        manualChunks: (id) =>
          id.includes("node_modules") && !id.includes("oauth4webapi")
            ? id.includes("xyflow") || id.includes("d3-")
              ? "flow"
              : "base"
            : undefined,
      },
    },
  },
  worker: { format: "es" },
  server: {
    proxy: { "/api": "http://127.0.0.1:8080", "/v3": "http://127.0.0.1:8080", "/local": "http://127.0.0.1:8080" },
  },
});
