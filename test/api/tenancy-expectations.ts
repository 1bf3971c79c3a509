/** All kinds of callers. The requested things belong to company A; `own` is the agent that they belong to. */
export const callers = [
  "anonymous",
  "badToken",
  "outsider",
  "viewer",
  "operator",
  "owner",
  "admin",
  "foreignAgent",
  "peer",
  "own",
  "terminatedAgent",
  "revokedKey",
] as const;
export type CallerName = (typeof callers)[number];

/** A status, with the code of a refusal. */
export type Outcome = string;
export type Expectation = Readonly<Record<CallerName, Outcome>>;

const forbidden = "403 forbidden";
const unknown = "401 unauthenticated";

/** Callers without a valid credential, at any endpoint. */
const nobody = {
  anonymous: unknown,
  badToken: unknown,
  terminatedAgent: unknown,
  revokedKey: unknown,
};

const board = (from: "viewer" | "operator" | "owner" | "admin", ok: Outcome) => {
  const ranks = ["viewer", "operator", "owner", "admin"] as const;
  const may = (rank: (typeof ranks)[number]) => (ranks.indexOf(rank) >= ranks.indexOf(from) ? ok : forbidden);
  return { viewer: may("viewer"), operator: may("operator"), owner: may("owner"), admin: may("admin") };
};

const agents = (outcome: Outcome) => ({ peer: outcome, own: outcome });
const outsiders = (outcome: Outcome) => ({ outsider: outcome, foreignAgent: outcome });

/** `/api/companies/{companyId}/…`: every member of the company reads it. */
const companyRead: Expectation = {
  ...nobody,
  ...outsiders(forbidden),
  ...board("viewer", "200"),
  ...agents("200"),
};

/** … and operators and the company's agents add to it. */
const companyWrite: Expectation = {
  ...nobody,
  ...outsiders(forbidden),
  ...board("operator", "201"),
  ...agents("201"),
};

const companyBoard = (from: "viewer" | "operator" | "owner", ok: Outcome): Expectation => ({
  ...nobody,
  ...outsiders(forbidden),
  ...board(from, ok),
  ...agents(forbidden),
});

type Noun =
  | "agent"
  | "asset"
  | "attachment"
  | "label"
  | "issue"
  | "run"
  | "project"
  | "repository"
  | "mcpServer"
  | "eventSubscription"
  | "eventDelivery"
  | "workspace"
  | "goal"
  | "routine"
  | "trigger"
  | "approval"
  | "grant"
  | "secret"
  | "vault";

/** Things of other companies do not exist. */
const absent = (noun: Noun) =>
  outsiders(`404 ${noun.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}_not_found`);

const thingRead = (noun: Noun): Expectation => ({
  ...nobody,
  ...absent(noun),
  ...board("viewer", "200"),
  ...agents("200"),
});

const thingWrite = (
  noun: Noun,
  ok: Outcome,
  byAgents: { peer: Outcome; own: Outcome } = agents(ok),
): Expectation => ({ ...nobody, ...absent(noun), ...board("operator", ok), ...byAgents });

const thingBoard = (noun: Noun, from: "viewer" | "operator" | "owner", ok: Outcome): Expectation => ({
  ...nobody,
  ...absent(noun),
  ...board(from, ok),
  ...agents(forbidden),
});

/** An approval that `own` requested, of a type that people decide. */
const decision: Expectation = {
  ...nobody,
  ...absent("approval"),
  ...board("owner", "200"),
  viewer: "403 permission_missing",
  operator: "403 permission_missing",
  peer: "403 proof_not_accepted",
  own: "403 own_request",
};

const everyBoardUser = (ok: Outcome): Expectation => ({
  ...nobody,
  ...board("viewer", ok),
  outsider: ok,
  foreignAgent: forbidden,
  ...agents(forbidden),
});

/** Of a call that ignores the credentials of its request. */
const everyCaller = (outcome: Outcome): Expectation =>
  Object.fromEntries(callers.map((caller) => [caller, outcome])) as unknown as Expectation;

const adminOnly = (ok: Outcome): Expectation => ({
  ...nobody,
  ...outsiders(forbidden),
  ...board("admin", ok),
  ...agents(forbidden),
});

const agentSelf: Expectation = {
  ...nobody,
  ...board("admin", forbidden),
  outsider: forbidden,
  foreignAgent: "200",
  ...agents("200"),
};

/** No credential is needed; an invalid one is refused. */
const open: Expectation = {
  ...nobody,
  anonymous: "200",
  ...board("viewer", "200"),
  ...outsiders("200"),
  ...agents("200"),
};

/** The expected answer of each endpoint to each caller, from decisions 1.3 and 2, not from the declarations. */
export const expectations: Readonly<Record<string, Expectation>> = {
  "companies.list": {
    ...nobody,
    ...outsiders("200"),
    ...board("viewer", "200"),
    ...agents("200"),
  },
  "companies.create": adminOnly("201"),
  "companies.get": companyRead,
  "companies.pulse": companyRead,
  "companies.update": companyBoard("owner", "200"),
  "companies.houseRules": companyRead,
  "companies.setHouseRules": companyBoard("owner", "200"),
  "companies.houseRulesRevisions": companyRead,
  "companies.template": companyBoard("viewer", "200"),
  "companies.applyTemplate": companyBoard("owner", "200"),
  "companies.importTemplate": adminOnly("200"),
  "companies.templates": everyBoardUser("200"),
  "companies.pause": companyBoard("operator", "200"),
  "companies.resume": companyBoard("operator", "200"),
  "companies.archive": companyBoard("owner", "200"),

  "agents.list": companyRead,
  "agents.me": agentSelf,
  "agents.get": thingRead("agent"),
  "agents.explanation": thingRead("agent"),
  "agents.create": companyBoard("operator", "201"),
  // An agent may set only its adapter's own options on itself; a process has none.
  "agents.update": thingWrite("agent", "200", { peer: forbidden, own: forbidden }),
  "agents.skills": thingRead("agent"),
  "agents.syncSkills": thingBoard("agent", "operator", "200"),
  "agents.pause": thingBoard("agent", "operator", "200"),
  "agents.resume": thingBoard("agent", "operator", "200"),
  "agents.terminate": thingBoard("agent", "operator", "200"),
  "agents.invoke": thingWrite("agent", "202", { peer: forbidden, own: "202" }),
  "agents.org": companyRead,
  "agents.keys": thingBoard("agent", "operator", "200"),
  "agents.createKey": thingBoard("agent", "operator", "201"),
  "agents.revokeKey": thingBoard("agent", "operator", "200"),
  "agents.configRevisions": thingBoard("agent", "viewer", "200"),
  "agents.rollback": thingBoard("agent", "operator", "200"),
  "agents.releaseWorkspace": thingBoard("agent", "operator", "200"),

  "volumes.list": adminOnly("200"),
  "runners.list": adminOnly("200"),
  "runners.check": adminOnly("200"),
  "adapters.list": everyBoardUser("200"),
  "adapters.get": everyBoardUser("200"),
  // A folder that does not exist.
  "adapters.install": adminOnly("422 adapter_not_installable"),
  // An adapter of the service.
  "adapters.remove": adminOnly("409 adapter_built_in"),
  "adapters.reload": adminOnly("409 adapter_built_in"),
  "adapters.uiParser": everyBoardUser("200"),
  "adapters.models": companyRead,
  "agents.offeredSkills": companyRead,
  "adapters.detectModel": companyRead,
  "adapters.testEnvironment": companyBoard("operator", "200"),

  "routines.list": companyRead,
  "routines.get": thingRead("routine"),
  // New issues of an agent are assigned to itself; this one is for `own`.
  "routines.create": { ...companyWrite, peer: forbidden },
  "routines.update": thingWrite("routine", "200", { peer: forbidden, own: "200" }),
  "routines.revisions": thingRead("routine"),
  "routines.restore": thingWrite("routine", "200", { peer: forbidden, own: "200" }),
  "routines.nextFires": thingRead("routine"),
  "routines.companyNextFires": companyRead,
  "routines.previewFires": companyRead,
  "routines.runs": thingRead("routine"),
  "routines.run": thingWrite("routine", "202", { peer: forbidden, own: "202" }),
  "routines.addTrigger": thingWrite("routine", "201", { peer: forbidden, own: "201" }),
  "routines.updateTrigger": thingWrite("trigger", "200", { peer: forbidden, own: "200" }),
  "routines.deleteTrigger": thingWrite("trigger", "204", { peer: forbidden, own: "204" }),
  "routines.rotateSecret": thingWrite("trigger", "200", { peer: forbidden, own: "200" }),
  // Any caller: only the trigger's secret counts, and none sends it here.
  "routines.fire": {
    ...nobody,
    ...outsiders(unknown),
    ...board("viewer", unknown),
    ...agents(unknown),
  },

  "issues.list": companyRead,
  "issues.create": companyWrite,
  "issues.get": thingRead("issue"),
  // A live run of `own` holds the issue, which is in progress.
  "issues.update": thingWrite("issue", "200", { peer: "403 issue_not_yours", own: "200" }),
  "issues.updateMany": companyBoard("operator", "200"),
  "issues.checkout": {
    ...thingWrite("issue", "409 issue_held_by_another"),
    // Every agent claims for itself; the board claims for the holder, without its run.
    own: "200",
    peer: "409 issue_held_by_another",
  },
  "issues.release": thingWrite("issue", "200", { peer: "409 not_the_assignee", own: "200" }),
  "issues.comments": thingRead("issue"),
  "issues.commentRevisions": thingRead("issue"),
  "issues.lineComments": thingRead("issue"),
  "issues.comment": thingWrite("issue", "201"),
  "issues.commentOnLines": thingWrite("issue", "201"),
  // A comment that `own` wrote.
  "issues.updateComment": {
    ...thingBoard("issue", "owner", "200"),
    own: "200",
  },
  "issues.deleteComment": {
    ...thingBoard("issue", "owner", "200"),
    own: "200",
  },

  "watchers.list": thingRead("issue"),
  "watchers.watch": thingBoard("issue", "viewer", "200"),
  "watchers.unwatch": thingBoard("issue", "viewer", "200"),

  "documents.list": thingRead("issue"),
  "documents.get": thingRead("issue"),
  // An issue that no agent is working on.
  "documents.put": thingWrite("issue", "201"),
  "documents.revisions": thingRead("issue"),
  "documents.diff": thingRead("issue"),
  "issues.changes": thingRead("issue"),
  "issues.diff": thingRead("issue"),
  "issues.gates": thingRead("issue"),
  "issues.review": thingWrite("issue", "403 forbidden"),
  "issues.setGates": thingBoard("issue", "operator", "200"),
  "issues.rerunGates": thingWrite("issue", "200"),
  "issues.pullRequests": thingRead("issue"),
  "issues.openPullRequest": thingWrite("issue", "409 nothing_to_merge", agents("403 forbidden")),
  "issues.merge": thingWrite("issue", "409 nothing_to_merge", agents("403 forbidden")),
  "documents.restore": thingWrite("issue", "200"),
  "documents.delete": thingBoard("issue", "operator", "200"),

  // An interaction of `own`.
  "issues.progress": companyRead,
  "issues.count": companyRead,
  "issues.search": companyRead,

  "attachments.list": thingRead("issue"),
  "attachments.add": companyWrite,
  "attachments.content": thingRead("attachment"),
  "attachments.remove": thingWrite("attachment", "200"),

  "assets.addLogo": companyBoard("owner", "201"),
  "assets.content": thingRead("asset"),

  "labels.list": companyRead,
  "labels.create": companyWrite,
  "labels.delete": thingBoard("label", "operator", "200"),

  "interactions.list": thingRead("issue"),
  "interactions.get": thingRead("issue"),
  "interactions.create": thingWrite("issue", "201"),
  "interactions.accept": thingBoard("issue", "operator", "200"),
  "interactions.reject": thingBoard("issue", "operator", "200"),
  "interactions.respond": thingBoard("issue", "operator", "200"),
  "interactions.cancel": thingWrite("issue", "200", { peer: forbidden, own: "200" }),

  "runs.list": companyRead,
  "runs.ofIssue": thingRead("issue"),
  "runs.get": thingRead("run"),
  "runs.events": thingRead("run"),
  "runs.changes": thingBoard("run", "viewer", "200"),
  "runs.diff": thingBoard("run", "viewer", "200"),
  "runs.log": thingRead("run"),
  "runs.transcript": thingRead("run"),
  "runs.retry": thingBoard("run", "operator", "409 run_not_failed"),
  "runs.say": thingBoard("run", "operator", "409 run_has_ended"),
  "runs.messages": thingRead("run"),
  "runs.interrupt": thingBoard("run", "operator", "409 run_has_ended"),
  "runs.cancel": thingBoard("run", "operator", "200"),

  "projects.list": companyRead,
  "projects.create": companyWrite,
  "projects.get": thingRead("project"),
  "projects.update": thingWrite("project", "200"),
  "projects.gates": thingRead("project"),
  "projects.setGates": thingBoard("project", "operator", "200"),
  "projects.archive": thingBoard("project", "operator", "200"),

  "mcpServers.list": companyBoard("viewer", "200"),
  "mcpServers.create": companyBoard("operator", "422 mcp_server_unusable"),
  "mcpServers.get": thingBoard("mcpServer", "viewer", "200"),
  "mcpServers.update": thingBoard("mcpServer", "operator", "422 mcp_server_unusable"),
  "mcpServers.remove": thingBoard("mcpServer", "operator", "200"),
  "eventSubscriptions.list": companyBoard("viewer", "200"),
  "eventSubscriptions.create": companyBoard("operator", "201"),
  "eventSubscriptions.get": thingBoard("eventSubscription", "viewer", "200"),
  "eventSubscriptions.update": thingBoard("eventSubscription", "operator", "200"),
  "eventSubscriptions.remove": thingBoard("eventSubscription", "operator", "200"),
  "eventSubscriptions.rotateSecret": thingBoard("eventSubscription", "operator", "200"),
  "eventSubscriptions.test": thingBoard("eventSubscription", "operator", "200"),
  "eventSubscriptions.deliveries": thingBoard("eventSubscription", "viewer", "200"),
  "eventSubscriptions.redeliver": thingBoard("eventDelivery", "operator", "200"),
  "eventSubscriptions.redeliverAll": thingBoard("eventSubscription", "operator", "200"),
  "agents.mcpServers": thingRead("agent"),
  "workspaces.list": companyRead,
  "workspaces.get": thingRead("workspace"),
  "workspaces.commands": thingRead("workspace"),
  // It has no folder, and nothing is kept of it.
  "workspaces.restore": thingBoard("workspace", "operator", "422 work_not_kept"),
  "workspaces.remove": thingBoard("workspace", "operator", "409 workspace_stays"),
  "repositories.list": thingRead("project"),
  "repositories.create": thingBoard("project", "operator", "409 repositories_unavailable"),
  "repositories.get": thingRead("repository"),
  "repositories.update": thingBoard("repository", "operator", "409 repositories_unavailable"),
  // Any caller: only the host's signature counts, and none sends it here.
  "repositories.hostEvent": {
    ...nobody,
    ...outsiders("401 unauthenticated"),
    ...board("viewer", "401 unauthenticated"),
    ...agents("401 unauthenticated"),
  },
  "repositories.remove": thingBoard("repository", "operator", "200"),
  "goals.list": companyRead,
  "secrets.list": companyBoard("viewer", "200"),
  "secrets.create": companyBoard("operator", "201"),
  "secrets.get": thingBoard("secret", "viewer", "200"),
  "secrets.update": thingBoard("secret", "operator", "200"),
  "secrets.rotate": thingBoard("secret", "operator", "200"),
  "secrets.updateVersion": thingBoard("secret", "operator", "200"),
  "secrets.delete": thingBoard("secret", "operator", "200"),
  "secrets.versions": thingBoard("secret", "viewer", "200"),
  "secrets.usage": thingBoard("secret", "viewer", "200"),
  "secrets.accessEvents": thingBoard("secret", "viewer", "200"),
  "secrets.providersHealth": companyBoard("viewer", "200"),
  // A vault without anything to import.
  "secrets.previewImport": companyBoard("operator", "422 vault_unusable"),
  "secrets.import": companyBoard("operator", "422 vault_unusable"),
  // The test's master key comes from the environment, without a next one.
  "secrets.rotateMasterKey": adminOnly("409 next_master_key_missing"),
  "vaults.list": companyBoard("viewer", "200"),
  "vaults.create": companyBoard("operator", "201"),
  "vaults.get": thingBoard("vault", "viewer", "200"),
  "vaults.update": thingBoard("vault", "operator", "200"),
  "vaults.disable": thingBoard("vault", "operator", "200"),
  "vaults.setDefault": thingBoard("vault", "operator", "200"),
  "vaults.checkHealth": thingBoard("vault", "operator", "200"),
  "goals.create": companyWrite,
  "goals.get": thingRead("goal"),
  "goals.update": thingWrite("goal", "200"),
  "goals.archive": thingBoard("goal", "operator", "200"),

  "approvals.list": companyRead,
  "approvals.get": thingRead("approval"),
  "approvals.create": companyWrite,
  "approvals.hire": companyWrite,
  "approvals.authority": thingRead("approval"),
  "approvals.approve": decision,
  "approvals.reject": decision,
  "approvals.requestRevision": decision,
  "approvals.resubmit": thingWrite("approval", "200", { peer: forbidden, own: "200" }),
  "approvals.issues": thingRead("approval"),
  "approvals.comments": thingRead("approval"),
  "approvals.comment": thingWrite("approval", "201"),
  "approvals.ofIssue": thingRead("issue"),
  "approvals.link": thingWrite("issue", "201"),
  "approvals.unlink": thingWrite("issue", "200"),

  "grants.list": companyBoard("viewer", "200"),
  "grants.create": companyBoard("owner", "201"),
  "grants.revoke": thingBoard("grant", "owner", "200"),

  // The reported cost is that of `own`.
  "inbox.list": everyBoardUser("200"),
  "inbox.counts": everyBoardUser("200"),
  "inbox.ofCompany": companyBoard("viewer", "200"),
  // Of an entry that operators see.
  "inbox.dismiss": { ...companyBoard("operator", "200"), viewer: "404 inbox_entry_not_found" },
  "inbox.restore": companyBoard("viewer", "200"),
  "costs.report": { ...companyWrite, peer: forbidden },
  "costs.events": companyRead,
  "costs.summary": companyRead,
  "costs.byAgent": companyRead,
  "costs.byProject": companyRead,
  "costs.byIssue": companyRead,
  "costs.byProvider": companyRead,
  "costs.usageWindows": companyRead,
  "costs.byDay": companyRead,
  "costs.byAgentAndDay": companyRead,

  "activity.list": companyRead,
  "activity.ofIssue": thingRead("issue"),

  "members.list": companyBoard("viewer", "200"),
  "members.people": companyRead,
  "members.set": companyBoard("owner", "200"),
  "members.invite": companyBoard("owner", "201"),
  "members.remove": companyBoard("owner", "200"),

  "savedViews.list": companyBoard("viewer", "200"),
  "savedViews.save": companyBoard("viewer", "200"),
  // Each person has views of their own: that of the owner is nobody else's.
  "savedViews.rename": { ...companyBoard("viewer", "404 saved_view_not_found"), owner: "200" },
  "savedViews.delete": { ...companyBoard("viewer", "404 saved_view_not_found"), owner: "200" },

  "users.list": adminOnly("200"),
  "users.create": adminOnly("201"),
  "users.update": adminOnly("200"),
  "users.invite": adminOnly("201"),

  "tokens.list": everyBoardUser("200"),
  "tokens.create": everyBoardUser("201"),
  // The token belongs to the owner: only the owner and admins may revoke it.
  "tokens.revoke": {
    ...everyBoardUser("404 token_not_found"),
    owner: "200",
    admin: "200",
  },

  "session.create": everyBoardUser("201"),
  "session.createLink": everyBoardUser("201"),
  // A link identifies its user: other credentials do not count.
  "session.createByCode": everyCaller("401 sign_in_code_not_valid"),
  "session.methods": everyCaller("200"),
  "session.beginByPasskey": everyCaller("200"),
  "session.createByPasskey": everyCaller("401 passkey_not_valid"),
  "session.verify": everyBoardUser("403 passkey_needs_session"),
  "assistants.list": everyBoardUser("200"),
  "assistants.check": everyBoardUser("422 authorization_not_valid"),
  "assistants.allow": everyBoardUser("403 assistant_needs_session"),
  "assistants.disconnect": everyBoardUser("404 assistant_not_found"),
  "passkeys.list": everyBoardUser("200"),
  "passkeys.begin": everyBoardUser("403 passkey_needs_session"),
  "passkeys.create": everyBoardUser("403 passkey_needs_session"),
  "passkeys.delete": everyBoardUser("404 passkey_not_found"),
  "pushSubscriptions.key": everyBoardUser("200"),
  "pushSubscriptions.list": everyBoardUser("200"),
  "pushSubscriptions.save": everyBoardUser("403 push_needs_session"),
  "pushSubscriptions.remove": everyBoardUser("404 push_subscription_not_found"),
  "pushSubscriptions.delete": everyBoardUser("404 push_subscription_not_found"),
  "pushSubscriptions.test": everyBoardUser("404 push_subscription_not_found"),
  "session.beginByProvider": everyCaller("404 sign_in_provider_not_found"),
  "session.createByProvider": everyCaller("404 sign_in_provider_not_found"),
  "session.get": everyBoardUser("200"),
  "session.current": open,
  "session.showNotices": everyBoardUser("200"),
  "session.saveNotices": everyBoardUser("200"),
  "session.seeNotices": everyBoardUser("200"),
  "session.testNotice": everyBoardUser("409 notice_channel_unreachable"),
  // Its token names the person: other credentials do not count.
  "session.unsubscribe": everyCaller("404 unsubscribe_token_not_valid"),
  "session.showEmail": everyBoardUser("200"),
  "session.showChat": everyBoardUser("200"),
  "session.setChat": everyBoardUser("200"),
  "session.removeChat": everyBoardUser("200"),
  "session.setEmail": everyBoardUser("409 email_unavailable"),
  "session.removeEmail": everyBoardUser("200"),
  "session.confirmEmail": everyCaller("401 email_confirmation_not_valid"),
  "session.list": everyBoardUser("200"),
  "session.signIns": everyBoardUser("200"),
  // The session belongs to the owner.
  "session.end": { ...everyBoardUser("404 session_not_found"), owner: "200" },
  "session.endAll": everyBoardUser("200"),
  "session.update": everyBoardUser("200"),
  // A call with a token has no session to end.
  "session.delete": everyBoardUser("401 unauthenticated"),

  "system.health": open,
  "system.openapi": open,
  "system.agentGuide": open,
  "system.events": companyRead,
  // Each caller follows its own companies.
  "system.allEvents": { ...open, anonymous: unknown },
  "system.metrics": adminOnly("200"),
  "system.releaseAfterRestore": adminOnly("200"),
  "system.backups": adminOnly("200"),
  // None are scheduled where no place for them is set.
  "system.backUp": adminOnly("422 backups_not_scheduled"),
};
