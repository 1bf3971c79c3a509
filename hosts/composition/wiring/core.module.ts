import { ContainerModule } from "inversify";
import { backups } from "../../../core/backups/index.ts";
import { lineComments } from "../../../core/code/comments/index.ts";
import { repositories } from "../../../core/code/repositories/index.ts";
import { issueWorkspaces } from "../../../core/code/workspaces/index.ts";
import { companies } from "../../../core/companies/index.ts";
import { events } from "../../../core/events/index.ts";
import { inbox } from "../../../core/inbox/index.ts";
import { costs } from "../../../core/money/index.ts";
import { noticeChats } from "../../../core/notices/chat/index.ts";
import { notices } from "../../../core/notices/index.ts";
import { pushSubscriptions } from "../../../core/notices/push/index.ts";
import { assistants } from "../../../core/people/assistants/index.ts";
import { access } from "../../../core/people/index.ts";
import { routines } from "../../../core/routines/index.ts";
import { runs } from "../../../core/runs/index.ts";
import { runRecords } from "../../../core/runs/run-records.ts";
import { showRun } from "../../../core/runs/show-run.ts";
import { secrets } from "../../../core/secrets/index.ts";
import { mcpServers } from "../../../core/secrets/mcp-servers/index.ts";
import { vaults } from "../../../core/secrets/vaults/index.ts";
import { explainAgents } from "../../../core/staff/agents/explain-agents.ts";
import { agents } from "../../../core/staff/agents/index.ts";
import { approvals } from "../../../core/staff/approvals/index.ts";
import { templates } from "../../../core/templates/index.ts";
import { assets } from "../../../core/work/assets/index.ts";
import { goals } from "../../../core/work/goals/index.ts";
import { issues } from "../../../core/work/issues/index.ts";
import { labels } from "../../../core/work/labels/index.ts";
import { projects } from "../../../core/work/projects/index.ts";
import type { App } from "../../api/endpoint/app.ts";
import { oneAtATime } from "./one-at-a-time.ts";
import { partsOfApp, T } from "./tokens.ts";
import { workspaceDisks } from "./workspace-disks.ts";

/** Binds the use cases of each aggregate to its ports, one binding per aggregate. */
export const coreModule = new ContainerModule(({ bind }) => {
  bind(T.context).toDynamicValue(({ get }) => ({
    transactor: get(T.transactor),
    clock: get(T.clock),
    ids: get(T.ids),
    span: get(T.telemetry)?.span,
  }));
  bind(T.access).toDynamicValue(({ get }) =>
    access({
      ...get(T.context),
      credentials: get(T.credentials),
      cipher: get(T.cipher),
      providers: get(T.identityProviders),
      passkeys: get(T.passkeys),
      address: get(T.address).ofService,
      boardTokens: get(T.config).boardTokens,
      mail: get(T.mail),
    }),
  );
  bind(T.agents).toDynamicValue(({ get }) =>
    agents({
      ...get(T.context),
      adapters: get(T.adapters),
      runners: get(T.runners),
      credentials: get(T.credentials),
      probe: get(T.adapterProbe),
      catalogue: get(T.skillCatalogue),
      views: get(T.views),
      explain: get(T.explainAgents),
    }),
  );
  bind(T.explainAgents).toDynamicValue(({ get }) =>
    explainAgents(get(T.views), get(T.adapters), get(T.runners), get(T.config).caps, get(T.clock)),
  );
  bind(T.showRun).toDynamicValue(({ get }) =>
    showRun(get(T.views), get(T.adapters), get(T.runners), get(T.config).caps, get(T.clock)),
  );
  bind(T.approvals).toResolvedValue(approvals, [T.context, T.adapters, T.runners, T.views]);
  bind(T.assets).toResolvedValue(assets, [T.context, T.blobs, T.svgInspector]);
  bind(T.assistants).toDynamicValue(({ get }) =>
    assistants({
      ...get(T.context),
      documents: get(T.clientDocuments),
      credentials: get(T.credentials),
      address: get(T.address).ofService,
    }),
  );
  bind(T.backups).toResolvedValue(backups, [T.context, T.views, T.calendar, T.backupTaker, T.backupPlan]);
  bind(T.companies).toResolvedValue(companies, [T.context, T.runners, T.views, T.explainAgents]);
  bind(T.costs).toResolvedValue(costs, [T.context, T.views]);
  bind(T.events).toDynamicValue(({ get }) =>
    events({
      ...get(T.context),
      cipher: get(T.cipher),
      signing: get(T.eventSigning),
      posts: get(T.outboundPosts),
      address: get(T.address).ofService,
    }),
  );
  bind(T.goals).toResolvedValue(goals, [T.context]);
  bind(T.inbox).toResolvedValue(inbox, [T.context, T.views, T.adapters, T.backupPlan, T.runners]);
  bind(T.notices).toDynamicValue(({ get }) =>
    notices({
      ...get(T.context),
      inbox: get(T.views).inbox,
      channels: get(T.noticeChannels),
      credentials: get(T.credentials),
    }),
  );
  bind(T.noticeChats).toDynamicValue(({ get }) =>
    noticeChats({
      ...get(T.context),
      cipher: get(T.cipher),
      posts: get(T.outboundPosts),
      address: get(T.address).ofService,
    }),
  );
  bind(T.pushSubscriptions).toDynamicValue(({ get }) =>
    pushSubscriptions({
      ...get(T.context),
      cipher: get(T.cipher),
      credentials: get(T.credentials),
      posts: get(T.outboundPosts),
      webPush: get(T.webPush),
    }),
  );
  bind(T.lineComments).toResolvedValue(lineComments, [T.context, T.views, T.codeStores]);
  bind(T.issues).toResolvedValue(issues, [T.context, T.views, T.lineComments]);
  bind(T.labels).toResolvedValue(labels, [T.context]);
  bind(T.projects).toResolvedValue(projects, [T.context, T.views]);
  bind(T.mcpServers).toResolvedValue(mcpServers, [T.context, T.secretProviders, T.mcpProbe, T.views]);
  bind(T.repositories).toDynamicValue(({ get }) =>
    repositories({
      ...get(T.context),
      runAtCommit: get(T.issueWorkspaces).runAtCommit,
      endAtCommit: get(T.issueWorkspaces).endAtCommit,
      providers: get(T.secretProviders),
      codeStores: get(T.codeStores),
      blobs: get(T.blobs),
      gitHosts: get(T.gitHosts),
      signing: get(T.webhookSigning),
      volume: get(T.volume),
    }),
  );
  bind(T.routines).toResolvedValue(routines, [T.context, T.calendar, T.cipher, T.webhookSigning, T.views]);
  bind(T.runs).toDynamicValue(({ get }) =>
    runs({
      ...get(T.context),
      views: get(T.views),
      runLogs: get(T.runLogs),
      adapters: get(T.adapters),
      uiParsers: get(T.uiParsers),
      show: get(T.showRun),
      record: get(T.runRecords),
    }),
  );
  bind(T.runRecords).toResolvedValue(runRecords, [T.context]);
  bind(T.secrets).toResolvedValue(secrets, [T.context, T.secretProviders, T.masterKeys]);
  bind(T.templates).toDynamicValue(({ get }) =>
    templates(
      {
        ...get(T.context),
        adapters: get(T.adapters),
        runners: get(T.runners),
        calendar: get(T.calendar),
        cipher: get(T.cipher),
        signing: get(T.webhookSigning),
        catalogue: get(T.skillCatalogue),
      },
      get(T.shippedTemplates),
    ),
  );
  bind(T.issueWorkspaces).toDynamicValue(({ get }) =>
    issueWorkspaces(
      get(T.context),
      {
        providers: get(T.secretProviders),
        codeStores: get(T.codeStores),
        blobs: get(T.blobs),
        credentials: get(T.credentials),
        apiUrl: get(T.address).ofAgents,
        oneAtATime: oneAtATime(),
        disks: workspaceDisks(() => get(T.runners)),
        issueWorkspacesOf: (runner) => get(T.runners).get(runner)?.issueWorkspaces ?? null,
      },
      get(T.views),
    ),
  );
  bind(T.vaults).toResolvedValue(vaults, [T.context, T.secretProviders]);
  bind(T.app).toDynamicValue(
    ({ get }) =>
      Object.fromEntries(
        Object.entries(partsOfApp).map(([name, part]) => [name, get<unknown>(part)]),
      ) as unknown as App,
  );
});
