import { readFile } from "node:fs/promises";
// @ts-expect-error It has no types.
import subsetFont from "subset-font";
import { defineConfig, type Plugin } from "vite";

const INTER = "node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2";
const ASCII = String.fromCharCode(...Array.from({ length: 95 }, (_, place) => 32 + place));
const LETTERS = `${ASCII}–—…·‹›×−“”’°±²³€äöüßéèàçñÄÖÜ`;
const WEIGHTS = { wght: { min: 400, max: 700, default: 400 } };

/** Put a part of Inter into font.css, as text: the API's function sends no bytes. */
const font: Plugin = {
  name: "font",
  enforce: "pre",
  async transform(css, id) {
    if (!id.endsWith("/font.css")) return;
    const options = { targetFormat: "woff2", keepFeatures: ["kern", "tnum"], variationAxes: WEIGHTS };
    const letters: Buffer = await subsetFont(await readFile(INTER), LETTERS, options);
    return css.replace("inter.woff2", `data:font/woff2;base64,${letters.toString("base64")}`);
  },
};

// What most views use is a file; what pictures alone use is another. Beside them, a view's file is small.
const DRAWN_ANYWHERE = "group-box|list-beside|svg";
const OF_VIEWS = "edit|proof|recipe|outline|record-queries|columns|compare-columns|impact";
const PARTS_OF_PICTURES = "time|legend|changes|tools";
const OF_PICTURES = `draw/(?!${DRAWN_ANYWHERE})|views/map/(?!list)|parts/(${PARTS_OF_PICTURES})|model/changes`;
const CHUNKS: readonly [string, RegExp][] = [
  ["font", /\/font\.css$/],
  ["flow", /node_modules\/(@xyflow|d3-)/],
  ["base", /node_modules\/(?!oauth4webapi)|preload-helper/],
  ["picture", new RegExp(`src/(${OF_PICTURES}).*\\.tsx?$`)],
  ["page", new RegExp(`src/((api|layout|model|parts|url)/(?!${OF_VIEWS})|draw/|views/map/).*\\.tsx?$`)],
];

// Every view is one segment below `explore/`, and so is every file: relative links hold under any prefix.
export default defineConfig({
  base: "./",
  plugins: [font],
  build: {
    assetsDir: "",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    target: "es2022",
    rollupOptions: {
      onwarn: (warning, warn) => (warning.code === "MODULE_LEVEL_DIRECTIVE" ? undefined : warn(warning)),
      output: {
        experimentalMinChunkSize: 3_000, // Each file is an invocation of the API's function.
        manualChunks: (id) => CHUNKS.find(([, files]) => files.test(id))?.[0],
      },
    },
  },
  worker: { format: "es" },
  server: {
    proxy: { "/api": "http://127.0.0.1:8080", "/v3": "http://127.0.0.1:8080", "/local": "http://127.0.0.1:8080" },
  },
});
