import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { agentUsers, serviceUser } from "../../adapters-infra/local/agent-users.ts";
import { agentWorkspaces } from "../../adapters-infra/local/agent-workspaces.ts";
import type { AgentId, CompanyId } from "../../core/model/shared/ids.ts";
import type { UserRange } from "../../ports/sandbox.ts";
import { installation } from "../support/installation.ts";
import { workspacesBelow } from "../support/workspaces.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "workspaces-"));
  chmodSync(folder, 0o755);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const companies = ["acme", "globex", "initech"] as CompanyId[];
const agentOf = (company: CompanyId, name = "ada") => ({
  id: `${company}-${name}` as AgentId,
  companyId: company,
  grantedPaths: granted(),
});
const granted = () =>
  ["/nowhere/at/all", join(folder, "others")].map((path) => ({ path, real: path, access: "write" as const }));
const [acme, globex, initech] = companies as [CompanyId, CompanyId, CompanyId];

const workspaces = (range: UserRange | null, serviceHome?: string) =>
  agentWorkspaces(
    workspacesBelow(folder),
    range === null
      ? serviceUser
      : agentUsers(
          range,
          { installation, homes: join(folder, "homes"), serviceHome, claims: null },
          (company) => Effect.succeed(companies.indexOf(company) + 1),
        ),
  );
const prepared = (range: UserRange | null, company: CompanyId, configured: string | null = null) =>
  Effect.runPromise(workspaces(range).prepare(agentOf(company), configured));
const owner = (path: string) => statSync(path).uid;

describe("an agent without a user of its own", () => {
  it("runs as the service's user, in a folder that other users cannot enter", async () => {
    const { cwd, user, env } = await prepared(null, acme);
    expect({ user, env }).toEqual({ user: null, env: {} });
    expect(statSync(cwd).mode & 0o777).toBe(0o700);
    expect(owner(cwd)).toBe(process.getuid?.());
  });

  it.each([
    ["relative", "must be an absolute path"],
    ["/nowhere/at/all", "There is no folder /nowhere/at/all"],
  ])("is refused the working directory %s with a hint", async (configured, sentence) => {
    await expect(prepared(null, acme, configured)).rejects.toMatchObject({
      message: expect.stringContaining(sentence),
    });
  });

  it("gets a lease on a folder that ends with the scope", async () => {
    const seen = await Effect.runPromise(
      Effect.scoped(
        Effect.map(workspaces(null).temporary(acme), ({ cwd }) => ({ cwd, isThere: existsSync(cwd) })),
      ),
    );
    expect(seen.isThere).toBe(true);
    expect(existsSync(seen.cwd)).toBe(false);
  });
});

describe("agents with users of their own, in a service without root", () => {
  it("are refused with a hint, before anything is created", async () => {
    const getuid = vi.spyOn(process as { getuid: () => number }, "getuid").mockReturnValue(1000);
    try {
      await expect(prepared({ first: 64_000, last: 64_002, gid: 64_000 }, acme)).rejects.toMatchObject({
        message: expect.stringMatching(/SERVICE_AGENT_UID is set, but .* not run as root\. Start it as root/),
      });
    } finally {
      getuid.mockRestore();
    }
    expect(existsSync(join(folder, "homes"))).toBe(false);
  });
});

describe.skipIf(process.getuid?.() !== 0)("agents with one user for all companies", () => {
  const one = { first: 65_533, last: 65_533, gid: 65_532 };

  it("run as it, each company with its own home", async () => {
    const [first, second] = [await prepared(one, acme), await prepared(one, globex)];
    for (const { cwd, user, env } of [first, second]) {
      expect(user).toEqual({ uid: 65_533, gid: 65_532 });
      for (const path of [cwd, env.HOME!]) {
        expect(owner(path)).toBe(65_533);
        expect(statSync(path).mode & 0o777).toBe(0o700);
      }
    }
    expect(first.env.HOME).not.toBe(second.env.HOME);
  });

  it("keep the service's HOME if it belongs to that user", async () => {
    const home = join(folder, "home-of-agents");
    mkdirSync(home);
    expect((await Effect.runPromise(workspaces(one, home).prepare(agentOf(acme), null))).env).toEqual({
      HOME: join(folder, "homes", acme),
    });
    chownSync(home, 65_533, 65_532);
    expect((await Effect.runPromise(workspaces(one, home).prepare(agentOf(acme), null))).env).toEqual({});
  });
});

describe.skipIf(process.getuid?.() !== 0)("agents with a range of users", () => {
  const range = { first: 64_000, last: 64_002, gid: 64_000 };

  it("get one user for each company, and share it within", async () => {
    const users = await Promise.all(
      [acme, acme, globex].map(async (company) => (await prepared(range, company)).user),
    );
    expect(users.map((user) => user?.uid)).toEqual([64_001, 64_001, 64_002]);
    expect((await Effect.runPromise(Effect.scoped(workspaces(range).temporary(globex)))).user?.uid).toBe(
      64_002,
    );
  });

  it("are refused when the range is used up, with a hint", async () => {
    await expect(prepared(range, initech)).rejects.toMatchObject({
      message: expect.stringMatching(
        /64000-64002 has users for 2 companies, and this is company 3.*Widen the range/,
      ),
    });
    expect(existsSync(join(folder, "workspaces", "initech-ada"))).toBe(false);
  });

  it("keep the files they left as another user, but no target of their links", async () => {
    const { cwd } = await prepared({ first: 65_533, last: 65_533, gid: 65_532 }, acme);
    const [project, others] = [join(cwd, "project"), join(folder, "others")];
    mkdirSync(project);
    mkdirSync(others);
    for (const path of [join(project, "mine"), join(others, "theirs"), join(project, "of-root")])
      writeFileSync(path, "");
    for (const path of [project, join(project, "mine"), join(others, "theirs")])
      chownSync(path, 65_533, 65_532);
    symlinkSync(others, join(project, "link"));
    lchownSync(join(project, "link"), 65_533, 65_532);
    await prepared(range, acme);
    expect([cwd, project, join(project, "mine")].map(owner)).toEqual([64_001, 64_001, 64_001]);
    expect([others, join(others, "theirs"), join(project, "of-root")].map(owner)).toEqual([0, 65_533, 0]);
  });

  it("get a lease on a folder that ends with the scope, also with folders that its programs have closed", async () => {
    const seen = await Effect.runPromise(
      Effect.scoped(
        Effect.map(workspaces(range).temporary(acme), ({ cwd }) => {
          mkdirSync(join(cwd, "closed", "inner"), { recursive: true });
          writeFileSync(join(cwd, "closed", "inner", "file"), "");
          for (const path of ["closed/inner/file", "closed/inner", "closed"])
            chownSync(join(cwd, path), 64_001, 64_000);
          chmodSync(join(cwd, "closed"), 0);
          return cwd;
        }),
      ),
    );
    expect(existsSync(seen)).toBe(false);
  });

  it("get no folder that does not belong to the service, even if configured", async () => {
    const others = join(folder, "others");
    mkdirSync(others);
    const { cwd } = await prepared(range, acme);
    symlinkSync(others, join(cwd, "project"));
    await prepared(range, acme, others);
    await prepared(range, acme, join(cwd, "project"));
    expect(owner(others)).toBe(0);
  });
});
