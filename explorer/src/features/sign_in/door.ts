/** The authorization code flow with PKCE (RFC 7636), renewal by refresh tokens, and sign-out; tokens stay in memory. */

import * as oauth from "oauth4webapi";

import { type Door, tokens } from "../../api/client";
import { isKnown, keepPending, type Pending, type Settings, setKnown } from "./pending";

// A token is renewed a minute before its end; a silent issuer is tried again.
const SPARE_S = 60;
const AGAIN_S = 30;

export const open = (settings: Settings): Door => new IssuerDoor(settings);

/** Exchange the code of the address for tokens, and lead the reader back to the view. */
export async function comeBack(pending: Pending): Promise<void> {
  const door = new IssuerDoor(pending.settings);
  tokens.door = door;
  try {
    await door.exchange(pending, new URL(location.href));
    setKnown(true);
  } catch (error) {
    setKnown(false);
    door.failure = `The sign-in failed: ${reasonOf(error)}`;
  }
  history.replaceState(null, "", pending.view);
}

const reasonOf = (error: unknown) =>
  error instanceof oauth.AuthorizationResponseError || error instanceof oauth.ResponseBodyError
    ? (error.error_description ?? error.error)
    : error instanceof Error
      ? error.message
      : String(error);

class IssuerDoor implements Door {
  failure = "";
  private refreshToken: string | undefined;
  private idToken: string | undefined;
  private timer = 0;
  private readonly client: oauth.Client;
  private readonly options: { [oauth.allowInsecureRequests]: boolean };
  private found: Promise<oauth.AuthorizationServer> | null = null;

  constructor(private readonly settings: Settings) {
    this.client = { client_id: settings.client };
    // An issuer without TLS is on this machine: the stack refuses others.
    this.options = { [oauth.allowInsecureRequests]: settings.issuer.startsWith("http:") };
  }

  get issuer(): string {
    return new URL(this.settings.issuer).host;
  }

  get isKnown(): boolean {
    return isKnown();
  }

  signIn = async (): Promise<void> => {
    try {
      const verifier = oauth.generateRandomCodeVerifier();
      const pending: Pending = {
        settings: this.settings,
        verifier,
        state: oauth.generateRandomState(),
        nonce: oauth.generateRandomNonce(),
        view: `${location.pathname}${location.search}${location.hash}`,
      };
      const address = endpoint((await this.discover()).authorization_endpoint, {
        response_type: "code",
        client_id: this.settings.client,
        redirect_uri: returnAddress(),
        scope: this.settings.scope,
        state: pending.state,
        nonce: pending.nonce,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
      });
      keepPending(pending);
      location.assign(address);
    } catch (error) {
      this.failure = `The issuer does not respond: ${reasonOf(error)}`;
      setKnown(false);
      tokens.ask();
    }
  };

  exchange = async (pending: Pending, address: URL): Promise<void> => {
    const server = await this.discover();
    const parameters = oauth.validateAuthResponse(server, this.client, address, pending.state);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      this.client,
      oauth.None(),
      parameters,
      returnAddress(),
      pending.verifier,
      this.options,
    );
    const granted = await oauth.processAuthorizationCodeResponse(server, this.client, response, {
      expectedNonce: pending.nonce,
      requireIdToken: true,
    });
    tokens.set(this.keep(granted), false);
  };

  renew = async (): Promise<string | null> => {
    if (!this.refreshToken) return null;
    try {
      const server = await this.discover();
      const response = await oauth.refreshTokenGrantRequest(
        server,
        this.client,
        oauth.None(),
        this.refreshToken,
        this.options,
      );
      return this.keep(await oauth.processRefreshTokenResponse(server, this.client, response));
    } catch (error) {
      if (error instanceof oauth.ResponseBodyError) this.refreshToken = undefined;
      else this.renewIn(AGAIN_S);
      return null;
    }
  };

  signOut = async (): Promise<void> => {
    clearTimeout(this.timer);
    setKnown(false);
    const idToken = this.idToken;
    this.refreshToken = this.idToken = undefined;
    tokens.set("", false);
    const server = await this.discover().catch(() => null);
    if (server?.end_session_endpoint)
      location.assign(
        endpoint(server.end_session_endpoint, {
          client_id: this.settings.client,
          post_logout_redirect_uri: returnAddress(),
          ...(idToken && { id_token_hint: idToken }),
        }),
      );
    else tokens.ask();
  };

  /** Keep the tokens of a response, and plan the renewal; return the access token. */
  private keep(granted: oauth.TokenEndpointResponse): string {
    this.refreshToken = granted.refresh_token ?? this.refreshToken;
    this.idToken = granted.id_token ?? this.idToken;
    this.failure = "";
    if (granted.expires_in) this.renewIn(Math.max(granted.expires_in - SPARE_S, granted.expires_in / 2));
    return granted.access_token;
  }

  private renewIn(seconds: number): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void tokens.renew(tokens.get()), seconds * 1000);
  }

  private discover(): Promise<oauth.AuthorizationServer> {
    const issuer = new URL(this.settings.issuer);
    this.found ??= oauth
      .discoveryRequest(issuer, this.options)
      .then((response) => oauth.processDiscoveryResponse(issuer, response))
      .catch((error: unknown) => {
        this.found = null;
        throw error;
      });
    return this.found;
  }
}

/** The page itself: the issuer knows this address, and no view's. */
const returnAddress = () => new URL("./", document.baseURI).href;

function endpoint(address: string | undefined, query: Record<string, string>): string {
  if (!address) throw new Error("the issuer has no such endpoint");
  const url = new URL(address);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}
