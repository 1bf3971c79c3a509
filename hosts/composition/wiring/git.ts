import { checkedAddress } from "../../../adapters-infra/git/addresses.ts";
import { gitHosts } from "../../../adapters-infra/git-hosts/git-hosts.ts";
import type { Bind, Foundations } from "./foundations.ts";
import { T } from "./tokens.ts";

export const bindGit = (bind: Bind, { codeStores }: Foundations): void => {
  bind(T.codeStores).toConstantValue(codeStores);
  bind(T.gitHosts).toConstantValue(gitHosts(checkedAddress));
};
