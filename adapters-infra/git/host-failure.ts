import { HostUnusable } from "../../ports/code-stores.ts";
import type { GitOutcome } from "./run-git.ts";
import { whyFailed } from "./run-git.ts";

/** Says why a host did not answer as a repository, by what git printed (in English, by its environment). */
export const hostFailure = (
  outcome: Omit<GitOutcome, "stdout">,
  url: string,
  hasCredential: boolean,
): HostUnusable => {
  const { stderr, ended } = outcome;
  const host = new URL(url).host;
  if (ended === "time") return new HostUnusable("timed_out", `${host} did not answer in time.`);
  const status = /returned error: (\d{3})|HTTP (\d{3})/.exec(stderr);
  const code = Number(status?.[1] ?? status?.[2] ?? 0);
  if (code >= 300 && code < 400)
    return new HostUnusable(
      "redirected",
      `${host} redirects to another address, and redirects are not followed. Set the address that it redirects to.`,
    );
  const asksForCredential = /could not read (Username|Password)|Authentication failed/i.test(stderr);
  if (asksForCredential || code === 401)
    return hasCredential
      ? new HostUnusable("credential_refused", `${host} refuses the credential (401).`)
      : new HostUnusable(
          "credential_missing",
          `${host} asks for a credential (401). Set credentialSecretId to a secret with a token.`,
        );
  if (code === 403)
    return new HostUnusable("credential_refused", `${host} refuses access to the repository (403).`);
  if (code === 404 || /repository '.{0,1000}' not found/i.test(stderr))
    return new HostUnusable(
      "not_found",
      `${host} has no repository at this address, or the credential may not see it (404).`,
    );
  if (/Could not resolve|Failed to connect|Connection refused|Couldn't connect|timed out/i.test(stderr))
    return new HostUnusable("unreachable", `${host} cannot be reached: no connection.`);
  if (/SSL|certificate|TLS/i.test(stderr))
    return new HostUnusable("unreachable", `${host} cannot be reached: its certificate is not valid.`);
  if (
    /Operation too slow|Empty reply|transfer closed|early EOF|hung up|Recv failure|RPC failed/i.test(stderr)
  )
    return new HostUnusable("unreachable", `${host} dropped the connection or was too slow.`);
  if (code >= 500) return new HostUnusable("unreachable", `${host} answers with an error (${code}).`);
  if (
    /not valid: is this a git repository|invalid server response|unexpected.{0,200}flush|protocol error|bad line length|not a git/i.test(
      stderr,
    )
  )
    return notARepository(url);
  return new HostUnusable("rejected", whyFailed(outcome));
};

export const notARepository = (url: string): HostUnusable =>
  new HostUnusable("not_a_repository", `${new URL(url).host} answers, but not as a git repository.`);
