import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { type GitHost, startGitHost } from "../support/git-host.ts";
import { carriersOf, isLiving, stateOf } from "../support/run-processes.ts";
import { startService, type TestService } from "../support/service.ts";

/** The processes with that text among their arguments, without zombies. */
const livingWith = (mark: string): number[] =>
  readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && isLiving(pid))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(mark);
      } catch {
        return false;
      }
    });

/** Programs in the background that suspend themselves or ignore signals, in the session of the run or in their own. */
const stayingPrograms = (mark: string, isContained: boolean) => {
  const suspended = `kill -STOP $$; exec sleep ${mark}`;
  const ignoring = `trap "" TERM HUP INT; exec sleep ${mark}`;
  const both = `trap "" TERM HUP INT CONT; while :; do kill -STOP $$; done; : ${mark}`;
  const nameless = [
    `env -i PATH="$PATH" setsid sh -c 'sh -c "$0" & exit 0' '${suspended}' &`,
    `env -i PATH="$PATH" setsid sh -c 'sh -c "$0" & exit 0' '${both}' &`,
  ];
  return [
    `sh -c '${suspended}' &`,
    `setsid sh -c '${suspended}' &`,
    `sh -c '${ignoring}' &`,
    `setsid sh -c '${ignoring}' &`,
    `setsid sh -c '${both}' &`,
    // Their parents have ended, and nothing in their environment names the run: only a sandbox or a control group has them.
    ...(isContained ? nameless : []),
  ];
};

const handIn = `curl -sf -X PATCH -H "Authorization: Bearer $SERVICE_API_KEY" -H 'content-type: application/json' -d '{"status":"in_review"}' "$SERVICE_API_URL/api/issues/$SERVICE_TASK_ID" >/dev/null`;

let marks = 0;
/** Seconds that no other program of the machine sleeps. */
const aMark = () => {
  marks += 1;
  return `86400.${process.pid}${marks}`;
};

describe.each(["off", "auto"])(
  "After a run and the capture of its work, with SERVICE_SANDBOX=%s,",
  (sandbox) => {
    // Without the sandbox no project has repositories, and a run captures nothing.
    const hasRepositories = sandbox === "auto";
    let host: GitHost;
    let service: TestService;
    beforeAll(async () => {
      [host, service] = await Promise.all([
        startGitHost(),
        startService({ env: { SERVICE_SANDBOX: sandbox } }),
      ]);
    });
    afterAll(async () => {
      await service?.stop();
      host?.close();
    });

    /** A run with such programs, in the workspace of an issue; it hands in once a file is there. */
    const aRun = async (gateMark: string | null = null) => {
      const { admin } = service;
      const mark = aMark();
      const { processContainment } = await admin.system.health({});
      // A program that is not enclosed is moved into the group of its run just after its start.
      const isGrouped = !hasRepositories && processContainment === "cgroup";
      const staying = stayingPrograms(mark, hasRepositories || isGrouped);
      const { id: companyId } = await admin.companies.create({ name: `Company ${mark}` });
      const { id: projectId } = await admin.projects.create({ companyId, name: "Crane" });
      if (hasRepositories) {
        const value = host.token!;
        const { id: credentialSecretId } = await admin.secrets.create({ companyId, name: "host", value });
        await admin.repositories.create({
          projectId,
          url: host.url,
          credentialSecretId,
          allowPrivateHost: true,
        });
      }
      if (gateMark !== null)
        await admin.projects.setGates({
          projectId,
          gates: [{ name: "tests", kind: "command", command: "sh ./gate.sh; exit 3", maxWakes: 1 }],
        });
      const script = `
      echo work >work.txt
      cat >gate.sh <<'gate'
${gateMark === null ? "" : stayingPrograms(gateMark, true).join("\n")}
gate
      ${isGrouped ? "until grep -q boardroom-runs /proc/self/cgroup; do sleep 0.01; done" : ""}
      ${staying.join("\n")}
      while [ ! -e go ]; do sleep 0.05; done
      ${handIn}
    `;
      const { id: assigneeAgentId } = await admin.agents.create({
        companyId,
        name: "Ada",
        adapterType: "process",
        adapterConfig: { command: "/bin/sh", args: ["-euc", script], graceSec: 0.3 },
      });
      const { id: issueId } = await admin.issues.create({
        companyId,
        projectId,
        title: "Write it",
        assigneeAgentId,
      });
      const runs = async () => (await admin.runs.ofIssue({ issueId })).items;
      const [run] = await eventually(runs, (found) => found.length > 0);
      const runId = run!.id;
      await eventually(
        async () => livingWith(mark),
        (pids) => pids.filter((pid) => stateOf(pid) === "T").length >= 3 && pids.length >= staying.length,
      );
      const goOn = () => {
        const trees = join(service.dataDir, "trees", companyId);
        const workspace = hasRepositories
          ? join(trees, readdirSync(trees)[0]!, "work")
          : join(service.dataDir, "workspaces", assigneeAgentId);
        writeFileSync(join(workspace, "go"), "");
      };
      const captured = async () => {
        const ended = await eventually(
          () => admin.runs.get({ runId }),
          ({ finishedAt }) => finishedAt !== null,
        );
        if (!hasRepositories) return ended;
        const [changes] = await admin.runs.changes({ runId });
        expect(changes).toMatchObject({ problem: null });
        expect(changes!.files.map(({ path }) => path)).toContain("work.txt");
        return ended;
      };
      return { admin, issueId, runId, mark, goOn, captured };
    };

    const expectNoneOf = (runId: string, mark: string) => {
      const left = [...livingWith(mark), ...carriersOf([runId])];
      expect(left.map((pid) => `${stateOf(pid)} ${readFileSync(`/proc/${pid}/cmdline`, "utf8")}`)).toEqual(
        [],
      );
    };

    it("none of its suspended, deaf or detached programs lives, where it has ended by itself", async () => {
      const { goOn, captured, runId, mark } = await aRun();
      goOn();
      expect(await captured()).toMatchObject({ status: "succeeded" });
      expectNoneOf(runId, mark);
    });

    it("nor where a person has cancelled it", async () => {
      const { admin, captured, runId, mark } = await aRun();
      await admin.runs.cancel({ runId });
      expect(await captured()).toMatchObject({ status: "cancelled" });
      expectNoneOf(runId, mark);
    });

    it.runIf(hasRepositories)("nor of the programs that the command of a gate has left", async () => {
      const gateMark = aMark();
      const { admin, goOn, captured, runId, mark, issueId } = await aRun(gateMark);
      goOn();
      await captured();
      await eventually(
        () => admin.issues.gates({ issueId }),
        ({ gates }) => gates.some(({ check }) => check?.state === "failed"),
      );
      expectNoneOf(runId, mark);
      expect(livingWith(gateMark)).toEqual([]);
    });
  },
);
