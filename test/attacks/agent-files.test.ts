import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { afterAll, beforeAll, expect } from "vitest";
import { treeEntries } from "../../adapters-infra/backup/agent-trees.ts";
import type { Member } from "../../adapters-infra/backup/archive-member.ts";
import { writeAgentTree } from "../../adapters-infra/backup/write-agent-tree.ts";
import { agentWorkspaces } from "../../adapters-infra/local/agent-workspaces.ts";
import { ownFolder } from "../../adapters-infra/local/own-folder.ts";
import type { Client } from "../../hosts/library/client.ts";
import { nodeAgent } from "../support/agent-programs.ts";
import { times } from "../support/sample.ts";
import { workspacesBelow } from "../support/workspaces.ts";
import { type AttackedService, attackedService } from "./attacked-service.ts";
import { agentFiles } from "./attempts/agent-files.ts";
import { carryOut } from "./carry-out.ts";
import { swappingProgram } from "./swapping-program.ts";

/** Every second or third of them finds a service that follows the link. */
const rounds = times(7, 15);

let attacked: AttackedService;
let acme: string;
let globex: string;

/** More than the service has threads. */
const calls = 6;
const detectModels = (adapterType: string) =>
  `await Promise.all(Array.from({ length: ${calls} }, () =>
    call("GET", "/api/companies/" + process.env.SERVICE_COMPANY_ID + "/adapters/${adapterType}/detect-model")))`;

/** A run of another company starts and ends. */
const othersWork = async () =>
  expect(await attacked.attempt(globex, "return process.env.SERVICE_COMPANY_ID")).toBe(globex);

const megabytes = () =>
  Number(
    /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${attacked.service.child.pid}/status`, "utf8"))?.[1],
  ) / 1024;

/** Lets an agent of Acme do something in its home and its workspace, and returns the agent. */
const prepared = async (body: string, config: object = {}) => {
  const { agentId, runId } = await attacked.invoke(acme, {
    ...nodeAgent(`
      import { execFileSync } from "node:child_process";
      import fs from "node:fs";
      ${body}
    `),
    ...config,
  });
  expect((await attacked.ended(runId)).status, await attacked.printed(runId)).toBe("succeeded");
  return agentId;
};

/** Wakes an agent as another adapter's, in the same home and workspace. */
const runAs = async (agentId: string, adapterType: string, adapterConfig: object) => {
  await attacked.board.agents.update({
    agentId,
    adapterType,
    adapterConfig: adapterConfig as Record<string, never>,
  });
  const { id } = await attacked.board.agents.invoke({ agentId });
  return { runId: id!, ...(await attacked.ended(id!)) };
};

/** A program in place of the claude CLI: it prints all that it gets to read. */
const tellingClaude = async (name: string) => {
  const agentId = await prepared(`
    fs.writeFileSync("claude.sh", '#!/bin/sh\\\\ncat\\\\nfor file in "$@"; do [ -f "$file" ] && cat "$file"; done\\\\nexit 0\\\\n', { mode: 0o755 });
    fs.rmSync("${name}", { force: true });
  `);
  return { agentId, workspace: join(attacked.dataDir, "workspaces", agentId) };
};

carryOut(
  agentFiles,
  ["root", "user"],
  {
    "pipe-for-settings": async () => {
      const seen = await attacked.attempt(
        acme,
        `for (const [folder, file] of [[".codex", "config.toml"], [".claude", "settings.json"]]) {
           fs.rmSync(process.env.HOME + "/" + folder, { recursive: true, force: true });
           fs.mkdirSync(process.env.HOME + "/" + folder);
           execFileSync("mkfifo", [process.env.HOME + "/" + folder + "/" + file]);
         }
         return [${detectModels("adapter_b_local")}, ${detectModels("adapter_a_local")}].flat().map(({ status, body }) => [status, body])`,
      );
      expect(seen).toEqual(Array.from({ length: 2 * calls }, () => [200, null]));
      await othersWork();
    },
    "endless-settings": async () => {
      const before = megabytes();
      const seen = await attacked.attempt(
        acme,
        `const codex = process.env.HOME + "/.codex";
         const claude = process.env.HOME + "/.claude";
         for (const folder of [codex, claude]) { fs.rmSync(folder, { recursive: true, force: true }); fs.mkdirSync(folder); }
         fs.symlinkSync("/dev/zero", codex + "/config.toml");
         fs.closeSync(fs.openSync(claude + "/settings.json", "w"));
         fs.truncateSync(claude + "/settings.json", 2 ** 30);
         return [${detectModels("adapter_b_local")}, ${detectModels("adapter_a_local")}].flat().map(({ status, body }) => [status, body])`,
      );
      expect(seen).toEqual(Array.from({ length: 2 * calls }, () => [200, null]));
      expect(megabytes() - before).toBeLessThan(200);
      await othersWork();
    },
    "crowded-skills": async () => {
      const agentId = await prepared(`
        const skills = process.env.HOME + "/.claude/skills";
        fs.rmSync(skills, { recursive: true, force: true });
        fs.mkdirSync(skills, { recursive: true });
        for (let n = 0; n < 20_000; n += 1) fs.closeSync(fs.openSync(skills + "/" + n, "w"));
      `);
      await attacked.board.agents.update({ agentId, adapterType: "adapter_a_local", adapterConfig: {} });
      const before = megabytes();
      const listing = Array.from({ length: 4 }, () => attacked.board.agents.skills({ agentId }));
      await othersWork();
      for (const { warnings } of await Promise.all(listing))
        expect(warnings.join()).toMatch(/more than 1000 entries: the others are not listed/);
      expect(megabytes() - before).toBeLessThan(200);
    },
    "forged-findings": async () => {
      const agentId = await prepared(`
        const skills = process.env.HOME + "/.claude/skills";
        fs.rmSync(skills, { recursive: true, force: true });
        for (const name of ["plain", "x\\nskill 0 forged", "|text 0", "command 0 bin"]) {
          fs.mkdirSync(skills + "/" + name, { recursive: true });
          fs.writeFileSync(skills + "/" + name + "/SKILL.md", "");
        }
        fs.rmSync(process.env.HOME + "/.claude/settings.json", { force: true });
        fs.writeFileSync(process.env.HOME + "/.claude/settings.json", '\\ntext 0\\n|{"model":"forged"}\\ncommand 0 /forged\\n');
      `);
      await attacked.board.agents.update({ agentId, adapterType: "adapter_a_local", adapterConfig: {} });
      const { entries, warnings } = await attacked.board.agents.skills({ agentId });
      const names = entries.filter(({ managed }) => !managed).map(({ runtimeName }) => runtimeName);
      expect(names.sort()).toEqual(["command 0 bin", "plain", "|text 0"]);
      expect(warnings.join()).toMatch(/A name with a line break/);
      expect(
        await attacked.board.adapters.detectModel({ companyId: acme, adapterType: "adapter_a_local" }),
      ).toBeNull();
    },
    "linked-instructions": async () => {
      const theirs = await attacked.attempt(
        globex,
        `fs.writeFileSync(process.env.HOME + "/plan.md", "the plan of Globex", { mode: 0o666 }); return process.env.HOME`,
      );
      const { agentId, workspace } = await tellingClaude("AGENTS.md");
      for (const target of [
        join(attacked.dataDir, "master.key"),
        join(attacked.dataDir, "board-token"),
        `${theirs}/plan.md`,
      ]) {
        await attacked.board.agents.update({
          agentId,
          adapterType: "process",
          adapterConfig: nodeAgent(`
            import fs from "node:fs";
            fs.rmSync("AGENTS.md", { force: true });
            fs.symlinkSync(${JSON.stringify(target)}, "AGENTS.md");
          `) as never,
        });
        const { id } = await attacked.board.agents.invoke({ agentId });
        await attacked.ended(id!);
        const { runId, status, error } = await runAs(agentId, "adapter_a_local", {
          command: join(workspace, "claude.sh"),
          instructionsFilePath: join(workspace, "AGENTS.md"),
        });
        expect([status, error]).toEqual(["failed", expect.stringMatching(/AGENTS\.md/)]);
        const secret = readFileSync(target, "utf8").trim();
        expect(JSON.stringify([await attacked.printed(runId), error])).not.toContain(secret);
      }
    },
    "pipe-for-instructions": async () => {
      const { agentId, workspace } = await tellingClaude("AGENTS.md");
      await attacked.board.agents.update({
        agentId,
        adapterType: "process",
        adapterConfig: nodeAgent(
          `(await import("node:child_process")).execFileSync("mkfifo", ["AGENTS.md"]);`,
        ) as never,
      });
      const { id } = await attacked.board.agents.invoke({ agentId });
      await attacked.ended(id!);
      const { status, error } = await runAs(agentId, "adapter_a_local", {
        command: join(workspace, "claude.sh"),
        instructionsFilePath: join(workspace, "AGENTS.md"),
      });
      expect([status, error]).toEqual([
        "failed",
        expect.stringMatching(
          /instructionsFilePath names a file that cannot be read: .*AGENTS\.md\. Not a file\./,
        ),
      ]);
    },
    "laid-out-files": async () => {
      const { agentId, workspace } = await tellingClaude("AGENTS.md");
      const files = join(attacked.dataDir, "agent-skills", agentId);
      writeFileSync(
        join(workspace, "claude.sh"),
        `#!/bin/sh
         for place in ${files} ${files}/.claude ${files}/.claude/skills ${files}/.claude/skills/boardroom; do
           touch $place/written && echo changed
           ln -s / $place/linked && echo changed
           mv $place $place.away && echo changed
         done
         ls ${files}/.claude/skills
        `,
      );
      const { runId } = await runAs(agentId, "adapter_a_local", {
        command: join(workspace, "claude.sh"),
        desiredSkills: ["boardroom"],
      });
      const output = await attacked.printed(runId);
      expect(output).toMatch(/^boardroom$/m);
      expect(output).not.toMatch(/changed/);
    },
    "swapped-folder-given": async () => {
      await using swapping = swappingProgram();
      const cwd = join(swapping.folder, "workspace");
      for (let round = 0; round < rounds; round += 1) {
        rmSync(cwd, { recursive: true, force: true });
        await swapping.begin(cwd, { uid: 64_001, gid: 64_000 });
        await ownFolder(cwd, { uid: 64_002, gid: 64_000 });
        await swapping.end();
        const stolen = readdirSync(swapping.others).filter(
          (name) => statSync(join(swapping.others, name)).uid !== 0,
        );
        expect(stolen).toEqual([]);
      }
    },
    "swapped-folder-backed-up": async () => {
      await using swapping = swappingProgram();
      const cwd = join(swapping.folder, "workspaces");
      for (let round = 0; round < rounds; round += 1) {
        rmSync(cwd, { recursive: true, force: true });
        await swapping.begin(cwd, { uid: 64_001, gid: 64_000 });
        const ofOthers: string[] = [];
        for await (const entry of treeEntries(swapping.folder, ["workspaces"], () => {}))
          if (entry.kind === "file" && entry.uid === 0) ofOthers.push(entry.name);
        await swapping.end();
        expect(ofOthers).toEqual([]);
      }
    },
    "links-in-a-backup": async () => {
      await using swapping = swappingProgram();
      const others = readdirSync(swapping.others).length;
      const member = (kind: Member["kind"], name: string, text: string): Member => ({
        ...{ kind, name, mode: 0o4755, uid: 64_001, gid: 64_000, modifiedMs: 2 ** 60, bytes: text.length },
        data: async function* () {
          yield Buffer.from(text);
        },
      });
      const stored = async function* (): AsyncGenerator<Member> {
        yield member("link", "homes/a", swapping.others);
        yield member("file", "homes/a/planted", "x");
        yield member("folder", "homes/a", "");
        yield member("file", "homes/b", "x");
      };
      expect(await writeAgentTree(swapping.folder, ["homes"], stored())).toBe(2);
      expect(readdirSync(swapping.others).length).toBe(others);
      expect(statSync(swapping.others).uid).toBe(0);
      expect(statSync(join(swapping.folder, "homes", "b")).mode & 0o7777).toBe(0o755);
      for (const name of ["../others/planted", "homes/../../planted", "/etc/planted", "others/planted"])
        await expect(
          writeAgentTree(
            swapping.folder,
            ["homes"],
            (async function* (): AsyncGenerator<Member> {
              yield member("file", name, "x");
            })(),
          ),
        ).rejects.toThrow("not one of a data directory");
    },
    "swapped-folder-removed": async () => {
      await using swapping = swappingProgram();
      const user = { uid: 64_001, gid: 64_000 };
      const { temporary } = agentWorkspaces(workspacesBelow(swapping.folder), {
        packages: user,
        ofPackages: () => Effect.succeed({ user, env: {} }),
        of: () => Effect.succeed({ user, env: {} }),
        folder: (path) => Effect.promise(() => ownFolder(path, user)),
      });
      for (let round = 0; round < rounds; round += 1) {
        const created = Effect.tap(temporary(null), ({ cwd }) =>
          Effect.promise(() => swapping.begin(cwd, user)),
        );
        await Effect.runPromise(Effect.scoped(created));
        await swapping.end();
        expect(readdirSync(swapping.others).length).toBe(swapping.files);
      }
    },
    "too-many-questions": async () => {
      const test = (board: Client, companyId: string) =>
        board.adapters
          .testEnvironment({
            companyId,
            adapterType: "adapter_c_local",
            adapterConfig: { model: "a/b", env: { HOME: join(attacked.dataDir, "homes", companyId) } },
          })
          .then(
            () => "answered",
            ({ status, code, retryAfterSec }) => [status, code, retryAfterSec],
          );
      const answers = await Promise.all(Array.from({ length: 30 }, () => test(attacked.board, acme)));
      const refused = answers.filter((answer) => answer !== "answered");
      expect(refused.length).toBeGreaterThanOrEqual(1);
      for (const answer of refused) expect(answer).toEqual([429, "adapter_busy", 5]);
      expect(await test(attacked.board, globex)).toBe("answered");
    },
  },
  (environment) => {
    beforeAll(async () => {
      attacked = await attackedService(environment);
      acme = (await attacked.board.companies.create({ name: "Acme" })).id;
      globex = (await attacked.board.companies.create({ name: "Globex" })).id;
    });
    afterAll(() => attacked?.close());
  },
);
