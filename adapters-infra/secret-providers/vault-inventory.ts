import type { RemoteSecret, SecretProvider } from "../../ports/secret-provider.ts";
import { type AskKv, type Call, TokenInvalid } from "./vault-client.ts";
import { VaultAnswered } from "./vault-http.ts";
import { type VaultDeployment, vaultScopeOf } from "./vault-settings.ts";

/** Vault lists one folder at a time, whole: a page of ours walks through so many of them at most. */
const foldersOfPage = 50;
/** A list that is deeper or wider than that is narrowed by secretPathPrefix. */
const openFolders = 200;

/** The folders that are still to be listed, and how many entries of the first were given already. */
interface Position {
  readonly folders: readonly string[];
  readonly given: number;
}

/** Lists secrets by their paths with the list operation alone: Vault names no field without reading. */
export const listVault =
  (deployment: VaultDeployment, ask: AskKv): SecretProvider["list"] =>
  (scope, { query, nextToken, pageSize }) =>
    ask(scope, "list", async (call) => {
      const { prefix } = vaultScopeOf(deployment, scope);
      const first: Position = { folders: [prefix === null ? "" : `${prefix}/`], given: 0 };
      let position = nextToken === null ? first : positionIn(nextToken);
      const items: RemoteSecret[] = [];
      for (let walked = 0; walked < foldersOfPage && position.folders.length > 0; walked++) {
        const [folder = "", ...rest] = position.folders;
        const entries = await entriesOf(call, folder);
        const isRootMissing = entries === null && nextToken === null && walked === 0;
        if (isRootMissing) throw new VaultAnswered(404);
        let at = position.given;
        const below: string[] = [];
        for (; at < (entries ?? []).length && items.length < pageSize; at++) {
          const path = `${folder}${entries![at]}`;
          if (path.endsWith("/")) below.push(path);
          else if (query === null || path.toLowerCase().includes(query.toLowerCase()))
            items.push(itemOf(path));
        }
        const isDone = at >= (entries ?? []).length;
        const folders = [...(isDone ? [] : [folder]), ...below, ...rest].slice(0, openFolders);
        position = { folders, given: isDone ? 0 : at };
        if (items.length >= pageSize) break;
      }
      return { items, nextToken: position.folders.length === 0 ? null : tokenOf(position) };
    });

/** null where there is no such folder. */
const entriesOf = async (
  call: (call: Call) => Promise<unknown>,
  folder: string,
): Promise<readonly string[] | null> => {
  try {
    const answer = (await call({ method: "GET", of: "metadata", path: folder, query: "?list=true" })) as {
      readonly data?: { readonly keys?: unknown };
    };
    const keys = answer.data?.keys;
    return Array.isArray(keys)
      ? keys.filter((key): key is string => typeof key === "string" && key !== "")
      : [];
  } catch (error) {
    if (error instanceof VaultAnswered && error.status === 404) return null;
    throw error;
  }
};

const itemOf = (path: string): RemoteSecret => ({
  externalRef: path,
  remoteName: path,
  providerVersionRef: null,
  providerMetadata: {
    createdDate: null,
    lastChangedDate: null,
    hasDescription: false,
    hasKmsKey: false,
    tagCount: 0,
  },
});

const tokenOf = (position: Position): string => Buffer.from(JSON.stringify(position)).toString("base64url");

const positionIn = (token: string): Position => {
  try {
    const { folders, given } = JSON.parse(Buffer.from(token, "base64url").toString("utf8")) as Position;
    if (
      Array.isArray(folders) &&
      folders.length <= openFolders &&
      folders.every((folder) => /^([^/\0]+\/)*$/.test(folder) && !/(^|\/)\.\.?\//.test(folder)) &&
      Number.isInteger(given) &&
      given >= 0
    )
      return { folders, given };
  } catch {
    // Judged below.
  }
  throw new TokenInvalid();
};
