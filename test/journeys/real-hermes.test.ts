import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { eventually, startService, type TestService } from "../support/service.ts";

// A package of another product from the registry; its agent's program alone is scripted.
vi.setConfig({ testTimeout: 180_000 });

const program = `#!/bin/sh
call() {
  curl -sS --fail-with-body -H "Authorization: Bearer $PAPERCLIP_API_KEY" -H "X-Paperclip-Run-Id: $PAPERCLIP_RUN_ID" \\
    -H "Content-Type: application/json" "$@" >&2
}
issue="$PAPERCLIP_API_URL/api/issues/$PAPERCLIP_TASK_ID"
call "$issue/checkout" -d '{"agentId":"'"$PAPERCLIP_AGENT_ID"'","expectedStatuses":["todo","in_progress"]}'
call -X PATCH "$issue" -d '{"status":"done","comment":"It is mended."}'
for argument in "$@"; do case "$argument" in *"Mend the net"*) echo "The prompt names the task." ;; esac; done
echo
echo "session_id: hermes-1"
`;

let folder: string;
let service: TestService;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "hermes-"));
  writeFileSync(join(folder, "hermes"), program);
  for (const path of [folder, join(folder, "hermes")]) chmodSync(path, 0o755);
  service = await startService({ env: { SERVICE_AGENT_PATHS: folder } });
}, 60_000);
afterAll(async () => {
  await service?.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe("the hermes adapter", () => {
  it("of Paperclip finishes an issue, without an address set by hand", async () => {
    const { admin } = service;
    await admin.adapters.install({ packageName: "@paperclipai/hermes-paperclip-adapter@2026.916.1" });
    const { id: companyId } = await admin.companies.create({ name: "Pier" });
    const { id: assigneeAgentId } = await admin.agents.create({
      companyId,
      name: "Hermes",
      adapterType: "hermes_local",
      adapterConfig: { hermesCommand: join(folder, "hermes"), provider: "nous", model: "m" },
    });
    const { id: issueId } = await admin.issues.create({
      companyId,
      title: "Mend the net",
      status: "todo",
      assigneeAgentId,
    });
    const run = await eventually(
      async () => (await admin.runs.ofIssue({ issueId })).items[0],
      (one) => one?.finishedAt != null,
      { withinMs: 120_000 },
    );
    expect(run).toMatchObject({
      status: "succeeded",
      error: null,
      summary: "The prompt names the task.",
      sessionIdAfter: "hermes-1",
    });
    expect((await admin.issues.get({ issueId })).status).toBe("done");
  });
});
