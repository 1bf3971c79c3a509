import type { Stores } from "../../../ports/transactor.ts";
import type { Statements } from "../transaction.ts";
import { accessStore } from "./access-store.ts";
import { activityStore } from "./activity-store.ts";
import { agentStore } from "./agent-store.ts";
import { approvalStore } from "./approval-store.ts";
import { boundStore } from "./bound-store.ts";
import { commentStore } from "./comment-store.ts";
import { companyStore } from "./company-store.ts";
import { costStore } from "./cost-store.ts";
import { dataKeyStore } from "./data-key-store.ts";
import { documentStore } from "./document-store.ts";
import { fileStore } from "./file-store.ts";
import { gateStore } from "./gate-store.ts";
import { goalStore } from "./goal-store.ts";
import { grantStore } from "./grant-store.ts";
import { historyStore } from "./history-store.ts";
import { inboxStore } from "./inbox-store.ts";
import { interactionStore } from "./interaction-store.ts";
import { issueStore } from "./issue-store.ts";
import { labelStore } from "./label-store.ts";

import { mcpServerStore } from "./mcp-server-store.ts";
import { mergeStore } from "./merge-store.ts";
import { projectStore } from "./project-store.ts";
import { pullRequestStore } from "./pull-request-store.ts";
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

/** Binds the stores to one transaction. */
export const postgresStores = (tx: Statements): Stores => ({
  access: accessStore(tx),
  activity: activityStore(tx),
  agents: agentStore(tx),
  approvals: approvalStore(tx),
  bounds: boundStore(tx),
  comments: commentStore(tx),
  companies: companyStore(tx),
  costs: costStore(tx),
  dataKeys: dataKeyStore(tx),
  documents: documentStore(tx),
  files: fileStore(tx),
  gates: gateStore(tx),
  goals: goalStore(tx),
  history: historyStore(tx),
  inbox: inboxStore(tx),
  interactions: interactionStore(tx),
  grants: grantStore(tx),
  issues: issueStore(tx),
  labels: labelStore(tx),
  mcpServers: mcpServerStore(tx),
  merges: mergeStore(tx),
  projects: projectStore(tx),
  pullRequests: pullRequestStore(tx),
  repositories: repositoryStore(tx),
  routines: routineStore(tx),
  runMessages: runMessageStore(tx),
  runs: runStore(tx),
  savedViews: savedViewStore(tx),
  secrets: secretStore(tx),
  services: serviceStore(tx),
  templates: templateStore(tx),
  issueWorkspaces: workspaceStore(tx),
  vaults: vaultStore(tx),
  wakes: wakeStore(tx),
  watchers: watcherStore(tx),
});
