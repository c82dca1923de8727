// A real issuer on loopback, by oidc-provider: `node issuer.mjs PORT RETURN_ADDRESS LIBRARY`. It prints its URL when it
// listens. Anybody may sign in by any name; people are in the group `staff`. A first token lasts ten minutes, renewed
// tokens last two hours.
import { pathToFileURL } from "node:url";

const [port, returnAddress, library] = process.argv.slice(2);
const { Provider } = await import(pathToFileURL(library).href);

const AUDIENCE = "headwater";
const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: [
    {
      client_id: "page",
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
      redirect_uris: [returnAddress],
      post_logout_redirect_uris: [returnAddress],
    },
    {
      client_id: "etl",
      client_secret: "a-secret-of-the-etl",
      grant_types: ["client_credentials"],
      redirect_uris: [],
      response_types: [],
    },
  ],
  clientBasedCORS: () => true,
  cookies: { keys: ["a-key"] },
  claims: { openid: ["sub"] },
  findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
  issueRefreshToken: () => true,
  rotateRefreshToken: true,
  extraTokenClaims: (_, token) => ({ groups: token.kind === "AccessToken" ? ["staff"] : [] }),
  features: {
    devInteractions: { enabled: true },
    clientCredentials: { enabled: true },
    deviceFlow: { enabled: true },
    rpInitiatedLogout: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => "urn:headwater",
      useGrantedResource: () => true,
      getResourceServerInfo: (ctx) => ({
        scope: "",
        audience: AUDIENCE,
        accessTokenFormat: "jwt",
        accessTokenTTL: ctx.oidc.params?.grant_type === "authorization_code" ? 600 : 7200,
      }),
    },
  },
});
provider.listen(Number(port), "127.0.0.1", () => console.log(provider.issuer));
