import { type Stores, storeNames } from "../../../ports/transactor.ts";
import type { Statements } from "../transaction.ts";
import { accessStore } from "./access-store.ts";
import { activityStore } from "./activity-store.ts";
import { agentStore } from "./agent-store.ts";
import { approvalStore } from "./approval-store.ts";
import { assistantStore } from "./assistant-store.ts";
import { boundStore } from "./bound-store.ts";
import { chatStore } from "./chat-store.ts";
import { commentStore } from "./comment-store.ts";
import { companyStore } from "./company-store.ts";
import { costStore } from "./cost-store.ts";
import { dataKeyStore } from "./data-key-store.ts";
import { documentStore } from "./document-store.ts";
import { emailStore } from "./email-store.ts";
import { eventStore } from "./event-store.ts";
import { fileStore } from "./file-store.ts";
import { gateStore } from "./gate-store.ts";
import { goalStore } from "./goal-store.ts";
import { grantStore } from "./grant-store.ts";
import { historyStore } from "./history-store.ts";
import { identityStore } from "./identity-store.ts";
import { inboxStore } from "./inbox-store.ts";
import { interactionStore } from "./interaction-store.ts";
import { issueStore } from "./issue-store.ts";
import { labelStore } from "./label-store.ts";
import { mcpServerStore } from "./mcp-server-store.ts";
import { mergeStore } from "./merge-store.ts";
import { noticeStore } from "./notice-store.ts";
import { passkeyStore } from "./passkey-store.ts";
import { projectStore } from "./project-store.ts";
import { pullRequestStore } from "./pull-request-store.ts";
import { pushStore } from "./push-store.ts";
import { repositoryStore } from "./repository-store.ts";
import { routineStore } from "./routine-store.ts";
import { runMessageStore } from "./run-message-store.ts";
import { runStore } from "./run-store.ts";
import { savedViewStore } from "./saved-view-store.ts";
import { secretStore } from "./secret-store.ts";
import { serviceStore } from "./service-store.ts";
import { templateStore } from "./template-store.ts";
import { vaultStore } from "./vault-store.ts";
import { wakeStore } from "./wake-store.ts";
import { watcherStore } from "./watcher-store.ts";
import { workspaceStore } from "./workspace-store.ts";

const makers: { readonly [Name in keyof Stores]: (tx: Statements) => Stores[Name] } = {
  access: accessStore,
  activity: activityStore,
  agents: agentStore,
  approvals: approvalStore,
  bounds: boundStore,
  chats: chatStore,
  comments: commentStore,
  companies: companyStore,
  costs: costStore,
  dataKeys: dataKeyStore,
  documents: documentStore,
  emails: emailStore,
  identities: identityStore,
  events: eventStore,
  files: fileStore,
  gates: gateStore,
  goals: goalStore,
  history: historyStore,
  inbox: inboxStore,
  interactions: interactionStore,
  grants: grantStore,
  issues: issueStore,
  labels: labelStore,
  mcpServers: mcpServerStore,
  merges: mergeStore,
  passkeys: passkeyStore,
  assistants: assistantStore,
  notices: noticeStore,
  push: pushStore,
  projects: projectStore,
  pullRequests: pullRequestStore,
  repositories: repositoryStore,
  routines: routineStore,
  runMessages: runMessageStore,
  runs: runStore,
  savedViews: savedViewStore,
  secrets: secretStore,
  services: serviceStore,
  templates: templateStore,
  issueWorkspaces: workspaceStore,
  vaults: vaultStore,
  wakes: wakeStore,
  watchers: watcherStore,
};

/** Makes each store when it is first used: a transaction uses few, and all together have hundreds of functions. */
class TransactionStores {
  readonly tx: Statements;
  readonly made: Partial<Record<keyof Stores, Stores[keyof Stores]>> = {};

  constructor(tx: Statements) {
    this.tx = tx;
  }
}

for (const name of storeNames)
  Object.defineProperty(TransactionStores.prototype, name, {
    get(this: TransactionStores) {
      this.made[name] ??= makers[name](this.tx);
      return this.made[name];
    },
  });

/** Binds the stores to one transaction. */
export const postgresStores = (tx: Statements): Stores => new TransactionStores(tx) as unknown as Stores;
