import type { PathParam } from "../../api/endpoint/params.ts";

const examples: Readonly<Record<string, readonly string[]>> = {
  "companies.create": ['--name "Acme" --budget-monthly-cents 20000'],
  "companies.applyTemplate": ["--template @template.json --dry-run"],
  "companies.importTemplate": ['--name "Acme" --template @template.json'],
  "agents.create": [
    '--name Alice --role engineer --adapter-type adapter_a_local --adapter-config \'{"model":"…"}\'',
    '--name Runner --adapter-type process --adapter-config \'{"command":"/usr/local/bin/work"}\'',
  ],
  "agents.update": ["alice --adapter-config @alice.json", "alice --budget-monthly-cents 5000 --title null"],
  "agents.syncSkills": ["alice --desired-skills boardroom,house-style"],
  "agents.invoke": ['alice --issue-id ABC-12 --message "Look at the failing test first"'],
  "issues.create": [
    '--title "Fix the login" --description @login.md --priority high --assignee-agent-id alice',
  ],
  "issues.search": ['--q "login -mobile"'],
  "issues.list": ["--status todo,in_progress", "--assignee-user-id me", "--assignee-agent-id null --json"],
  "issues.progress": ["--by project"],
  "issues.updateMany": ["--issue-ids ABC-12,ABC-13 --priority high"],
  "issues.update": [
    'ABC-12 --status done --comment "Shipped."',
    "ABC-12 --assignee-agent-id bob --status todo",
    "ABC-12 --assignee-user-id <userId> --status in_review",
  ],
  "issues.checkout": ["ABC-12 --agent-id alice --expected-statuses todo,backlog,blocked"],
  "interactions.create": [
    'ABC-12 --kind request_confirmation --payload \'{"prompt":"Ship it?"}\' --continuation-policy wake_assignee',
  ],
  "interactions.accept": ["ABC-12 <interactionId> --selected-client-keys first,second"],
  "documents.put": ["ABC-12 plan --body @plan.md", "ABC-12 plan --body @plan.md --base-revision-id <id>"],
  "issues.review": ["ABC-12 --verdict approved --commits 8f3c2a1d0b9e8f7a6c5d4e3f2a1b0c9d8e7f6a5b"],
  "issues.merge": ["ABC-12 --method squash"],
  "issues.diff": ["ABC-12", "ABC-12 --path src/main.ts"],
  "documents.diff": ["ABC-12 plan --from 1 --to 3"],
  "attachments.add": ["ABC-12 --file ./report.pdf"],
  "attachments.content": ["<attachmentId> --output report.pdf", "<attachmentId> -o - | less"],
  "assets.addLogo": ["--file logo.svg"],
  "issues.comment": [
    'ABC-12 --body "@alice please have a look"',
    "ABC-12 --body - < notes.md",
    'ABC-12 --path src/main.ts --line 12 --end-line 14 --body "Why twice?"',
  ],
  "issues.updateComment": ['ABC-12 <commentId> --body "@alice please have a second look"'],
  "routines.addTrigger": [
    '<routineId> --kind schedule --cron-expression "30 9 * * mon-fri" --timezone Europe/London',
    "<routineId> --kind webhook --signing-mode hmac_sha256",
    "<routineId> --kind webhook --signing-mode stripe --secret @stripe-secret.txt",
  ],
  "runs.list": ["--status failed,timed_out", "--agent-id alice --limit 10"],
  "secrets.create": ["--name API_KEY --value - < key.txt", "--name API_KEY --value @key.txt"],
  "secrets.updateVersion": ["<secretId> 1 --status disabled"],
  "secrets.delete": ["<secretId> --force"],
  "secrets.rotate": ["<secretId> --value @new-key.txt"],
  "secrets.import": ['--provider-config-id <vaultId> --secrets \'[{"externalRef":"prod/db"}]\''],
  "members.set": ["<userId> --role operator"],
  "members.invite": ['--name "Grace Hopper" --role viewer'],
  "savedViews.save": ['--name "Mine, urgent" --query "assignee=me&priority=critical,high"'],
  "savedViews.rename": ['<savedViewId> --name "Mine, most urgent"'],
  "session.update": ['--name "Grace Hopper"'],
  "companies.setHouseRules": ["--body @house-rules.md --base-revision-number 0"],
  "companies.update": ["--budget-monthly-cents 50000", "--description @about.md"],
  "agents.createKey": ["alice --name ci"],
  "agents.rollback": ["alice <revisionId>"],
  "adapters.install": ["--package-name my-adapter@1.2.3", "--local-path lighthouse"],
  "adapters.testEnvironment": ['process --adapter-config \'{"command":"/usr/local/bin/work"}\''],
  "interactions.reject": ['ABC-12 <interactionId> --reason "Not before Monday"'],
  "interactions.respond": [
    'ABC-12 <interactionId> --answers \'[{"questionId":"colour","optionIds":["blue"]}]\'',
  ],
  "labels.create": ['--name bug --color "#cc3300"'],
  "runs.say": ['<runId> --body "Use the staging database."'],
  "runs.diff": ["<runId>", "<runId> --path src/main.ts"],
  "runs.log": ["<runId>", "<runId> --offset 256000"],
  "routines.create": ['--title "Read the mail" --assignee-agent-id alice --project-id <projectId>'],
  "routines.update": ["<routineId> --status paused"],
  "routines.run": ['<routineId> --payload \'{"day":"monday"}\''],
  "routines.updateTrigger": ["<triggerId> --enabled false"],
  "routines.nextFires": ["<routineId> --count 5"],
  "routines.companyNextFires": ["--count 20"],
  "routines.previewFires": ['--cron-expression "30 9 * * mon-fri" --timezone Europe/London --count 3'],
  "projects.create": ['--name "Harbour" --target-date 2027-03-31'],
  "projects.update": ["<projectId> --status in_progress"],
  "issues.setGates": ['ABC-12 --gates \'[{"name":"tidy","kind":"clean"}]\''],
  "projects.setGates": ['<projectId> --gates \'[{"name":"tidy","kind":"clean"}]\''],
  "mcpServers.create": [
    "--name tickets --set-url https://tickets.example.com/mcp --all-agents true",
    '--name files --command npx --args \'["-y","@modelcontextprotocol/server-filesystem","."]\' --roles \'["engineer"]\'',
  ],
  "mcpServers.update": ["<mcpServerId>"],
  "eventSubscriptions.create": [
    '--set-url https://hooks.example.com/boardroom --events \'["approval.*","issue.status_changed"]\'',
    "--set-url https://chat.example.com/hooks/abc --format mattermost --events '[\"approval.created\"]'",
  ],
  "eventSubscriptions.update": ["<eventSubscriptionId> --enabled true"],
  "eventSubscriptions.deliveries": ["<eventSubscriptionId> --state undelivered"],
  "eventSubscriptions.redeliverAll": [
    "<eventSubscriptionId> --from 2026-11-01T00:00:00Z --to 2026-11-02T00:00:00Z",
  ],
  "repositories.create": [
    "<projectId> --set-url https://git.example.com/harbour/app.git --credential-secret-id <secretId>",
  ],
  "workspaces.list": ["--issue-id ABC-12"],
  "workspaces.restore": ["<workspaceId>", "<workspaceId> --run-id <runId>"],
  "workspaces.remove": ["<workspaceId> --abandon"],
  "repositories.update": [
    "<repositoryId> --default-branch main",
    '<repositoryId> --setup-command "npm ci" --sparse-folders \'["apps/site"]\'',
  ],
  "goals.create": ['--title "Open by spring" --level company'],
  "goals.update": ["<goalId> --status achieved"],
  "secrets.update": ["<secretId> --status disabled"],
  "secrets.previewImport": ["--provider-config-id <vaultId> --query prod/"],
  "vaults.create": [
    '--provider cloud_a_secrets_manager --display-name Frankfurt --config \'{"region":"eu-central-1"}\'',
  ],
  "vaults.update": ['<vaultId> --config \'{"region":"eu-west-1"}\''],
  "approvals.list": ["--status pending"],
  "approvals.create": [
    '--type ownership_decision --payload \'{"subject":"The docs","candidateOwners":["alice","bob"]}\'',
  ],
  "approvals.hire": ["--name Bob --role engineer --reports-to alice --budget-monthly-cents 5000"],
  "approvals.approve": [
    "<approvalId>",
    "<approvalId> --chosen-owner alice --decision-note 'She wrote most of it.'",
  ],
  "approvals.reject": ['<approvalId> --decision-note "Not this month."'],
  "approvals.requestRevision": ['<approvalId> --decision-note "Say what it costs."'],
  "approvals.resubmit": ["<approvalId> --payload @payload.json"],
  "approvals.comment": ['<approvalId> --body "What does bob think?"'],
  "approvals.link": ["ABC-12 --approval-id <approvalId>"],
  "inbox.dismiss": ["failed_run:<runId> --set-version ''"],
  "inbox.restore": ["failed_run:<runId>"],
  "grants.create": ["--agent-id alice --permission ownership:decide --classes docs,design"],
  "costs.report": ["--agent-id alice --provider anthropic --model claude-opus-5 --cost-cents 12"],
  "costs.summary": ["", "--from 2026-10-01T00:00:00Z --to 2026-11-01T00:00:00Z"],
  "activity.list": ["--entity-type issue --limit 20", "--q invoice --from 2026-11-01"],
  "users.create": ['--name "Grace Hopper"'],
  "users.update": ["<userId> --disabled true"],
  "session.beginByProvider": ["--provider default"],
  "session.createByProvider": [
    '--provider default --flow eyJzIjoi… --response "code=…&state=…"',
  ],
  "session.createByCode": ["--code N3mJ8ePpLr1r2WZ0qXv5bYtq7u6cKf4sGh9dAa1BcDe"],
  "tokens.create": ["--name laptop", "--name ci --user-id <userId> --expires-at 2027-01-01T00:00:00Z"],
};

/** The sample values of parameters in examples. Others appear as `<runId>`; a company is left out. */
const samples: Partial<Record<PathParam, string>> = {
  companyId: "",
  issueId: "ABC-12",
  agentId: "alice",
  adapterType: "process",
  key: "plan",
};

/** Gives the examples of a command's arguments, at least one line. */
export const examplesOf = (name: string, params: readonly PathParam[]): readonly string[] =>
  examples[name] ?? [
    params
      .map((param) => samples[param] ?? `<${param}>`)
      .filter((word) => word !== "")
      .join(" "),
  ];
