import { execFile, execFileSync } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pktLine } from "../../adapters-infra/git/pushed-refs.ts";
import { pushLimits } from "../../core/model/repositories/push-limits.ts";
import { type AgentAtWork, type ApiService, startApi } from "../support/api-service.ts";
import { eventually } from "../support/eventually.ts";
import { commitFiles, type GitHost, git, gitEnv, startGitHost } from "../support/git-host.ts";

type Body = NonNullable<RequestInit["body"]>;

let api: ApiService;
let host: GitHost;
let companyId: string;
let projectId: string;
let secretId: string;
const folder = mkdtempSync(join(tmpdir(), "repositories-"));

beforeAll(async () => {
  [api, host] = await Promise.all([startApi({ env: { SERVICE_SANDBOX: "auto" } }), startGitHost()]);
  companyId = (await api.company()).id;
  secretId = (await api.make(`/api/companies/${companyId}/secrets`, { name: "host", value: host.token })).id;
  projectId = await aProject();
});
afterAll(async () => {
  host.close();
  await api.stop();
  rmSync(folder, { recursive: true, force: true });
});

const aProject = async () =>
  (await api.make(`/api/companies/${companyId}/projects`, { name: randomUUID() })).id as string;

const add = (fields: object = {}, project = projectId) =>
  api.post(`/api/projects/${project}/repositories`, {
    url: host.url,
    credentialSecretId: secretId,
    allowPrivateHost: true,
    ...fields,
  });

describe("A repository of a project", () => {
  it("is added once its host has answered, listed, changed, and removed without the host's", async () => {
    const project = await aProject();
    const { status, body } = await add({}, project);
    expect([status, body]).toMatchObject([
      201,
      {
        url: host.url,
        defaultBranch: "main",
        credentialSecretId: secretId,
        directory: null,
        mode: "issue",
        problem: null,
      },
    ]);
    expect((await api.get(`/api/projects/${project}/repositories`)).body).toEqual([body]);
    const changed = await api.patch(`/api/repositories/${body.id}`, {
      mode: "shared",
      directory: "app/",
      authorName: "{agent} at work",
      authorEmail: "agents@example.com",
      branchPattern: "agents/{identifier}/work",
    });
    expect(changed.body).toMatchObject({
      mode: "shared",
      directory: "app",
      authorName: "{agent} at work",
      authorEmail: "agents@example.com",
      branchPattern: "agents/{identifier}/work",
    });
    expect((await api.delete(`/api/repositories/${body.id}`)).status).toBe(200);
    expect((await api.get(`/api/projects/${project}/repositories`)).body).toEqual([]);
    expect((await api.get(`/api/repositories/${body.id}`)).status).toBe(404);
    const { body: log } = await api.get(`/api/companies/${companyId}/activity?entityId=${body.id}`);
    expect(log.map(({ action }: { action: string }) => action)).toEqual([
      "repository.removed",
      "repository.updated",
      "repository.added",
    ]);
    expect(JSON.stringify([body, log])).not.toContain(host.token);
  });

  it("is added once for an Idempotency-Key", async () => {
    const project = await aProject();
    const send = (defaultBranch: string) =>
      api.post(
        `/api/projects/${project}/repositories`,
        { url: host.url, credentialSecretId: secretId, allowPrivateHost: true, defaultBranch },
        { headers: { "Idempotency-Key": `add-${project}` } },
      );
    const first = await send("main");
    expect(first.status).toBe(201);
    // The first look at the host may come between both.
    expect(await send("main")).toMatchObject({ status: 201, body: { id: first.body.id } });
    expect((await send("other")).status).toBe(409);
    expect((await api.get(`/api/projects/${project}/repositories`)).body).toHaveLength(1);
  });

  it.each([
    ["a wrong credential", () => ({ credentialSecretId: null }), "credentialSecretId", "credential_missing"],
    ["a missing branch", () => ({ defaultBranch: "nope" }), "defaultBranch", "no_such_branch"],
    ["a missing repository", () => ({ url: host.at("/nope.git") }), "url", "not_found"],
    ["a page", () => ({ url: host.at("/page/r.git") }), "url", "not_a_repository"],
    ["a redirect", () => ({ url: host.at(`/redirect/${host.port}/r.git`) }), "url", "redirected"],
    ["a closed port", () => ({ url: "http://127.0.0.1:9/r.git" }), "url", "unreachable"],
    ["a private address", () => ({ allowPrivateHost: false }), "url", "address_refused"],
    ["a metadata address", () => ({ url: "http://169.254.169.254/r.git" }), "url", "address_refused"],
  ])("is refused with a sentence for %s, and not stored", async (_, fields, field, reason) => {
    const project = await aProject();
    const { status, body } = await add(fields(), project);
    expect([status, body]).toMatchObject([
      422,
      {
        code: "repository_unusable",
        error: expect.stringMatching(/^\S.*\.$/),
        details: { path: [field], reason },
      },
    ]);
    expect((await api.get(`/api/projects/${project}/repositories`)).body).toEqual([]);
  });

  it.each([
    [
      "a password in the address",
      { url: "https://user:secret-word@git.invalid/r.git" },
      422,
      "repository_url_invalid",
    ],
    ["another protocol", { url: "ext::sh -c id" }, 422, "repository_url_invalid"],
    ["a file", { url: "file:///etc" }, 422, "repository_url_invalid"],
    ["a query", { url: "https://git.invalid/r.git?token=secret-word" }, 422, "repository_url_invalid"],
    ["a branch like an option", { defaultBranch: "--upload-pack=x" }, 400, "validation_error"],
    ["a branch of the service's own", { defaultBranch: "boardroom/ABC-1" }, 400, "validation_error"],
    ["a folder above", { directory: "../x" }, 400, "validation_error"],
    ["a folder like an option", { directory: "-x" }, 400, "validation_error"],
    ["a folder below one like an option", { directory: "--/x" }, 400, "validation_error"],
    ["folders like an option", { sparseFolders: ["a/-x"] }, 400, "validation_error"],
    ["a folder of git", { directory: "a/.git" }, 400, "validation_error"],
    ["a branch for all issues", { branchPattern: "agents/work" }, 400, "validation_error"],
    ["a branch that two issues share", { branchPattern: "agents/{identifier}0" }, 400, "validation_error"],
    ["a branch like an option for issues", { branchPattern: "-x/{identifier}" }, 400, "validation_error"],
    ["a branch of a name that is not known", { branchPattern: "{identifier}/{x}" }, 400, "validation_error"],
    ["an author with an address in the name", { authorName: "{agent} <a@b>" }, 400, "validation_error"],
    ["an author of two lines", { authorName: "a\nb" }, 400, "validation_error"],
    ["an author without a name", { authorName: "..." }, 400, "validation_error"],
    ["an address that is none", { authorEmail: "{agentKey}" }, 400, "validation_error"],
    ["an address with a name that has spaces", { authorEmail: "{agent}@x" }, 400, "validation_error"],
    ["an unknown secret", { credentialSecretId: randomUUID() }, 422, "reference_not_found"],
    ["an unknown field", { password: "secret-word" }, 400, "validation_error"],
  ])("refuses %s before it calls anybody", async (_, fields, status, code) => {
    const before = host.requests.length;
    const answer = await add(fields, await aProject());
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(JSON.stringify(answer.body)).not.toContain("secret-word");
    // Of a field that is unknown the whole body is named.
    if (!("password" in fields))
      expect([answer.body.details].flat()).toMatchObject([{ path: Object.keys(fields) }]);
    expect(host.requests.length).toBe(before);
  });

  it("sends its credential to another host only where the same request names it", async () => {
    const other = await startGitHost(host.token);
    try {
      const { body } = await add({ mode: "shared" }, await aProject());
      const path = `/api/repositories/${body.id}`;
      const refused = {
        code: "validation_error",
        details: [{ path: ["credentialSecretId"], code: "required" }],
      };
      expect(await api.patch(path, { url: other.url })).toMatchObject({ status: 400, body: refused });
      expect(await api.patch(path, { hostKind: "gitea", hostApiUrl: other.at("/api/v1") })).toMatchObject({
        status: 400,
        body: refused,
      });
      expect(other.requests).toEqual([]);
      expect((await api.get(path)).body).toMatchObject({ url: host.url, hostApiUrl: null });
      // Another path of the same host needs no word.
      expect((await api.patch(path, { url: host.at("/none.git") })).body.code).toBe("repository_unusable");
      const moved = await api.patch(path, { url: other.url, credentialSecretId: secretId });
      expect([moved.status, moved.body.url]).toEqual([200, other.url]);
    } finally {
      other.close();
    }
  });

  it("shares no folder with another one of its project", async () => {
    const project = await aProject();
    expect((await add({ directory: "app" }, project)).status).toBe(201);
    for (const directory of ["app", "app/web", null])
      expect((await add({ directory }, project)).body.code).toBe("repository_directory_taken");
    expect((await add({ directory: "web" }, project)).status).toBe(201);
  });

  it("keeps its secret from being deleted, but by force", async () => {
    const { id } = await api.make(`/api/companies/${companyId}/secrets`, { name: "own", value: host.token });
    const { body: repository } = await add({ credentialSecretId: id }, await aProject());
    expect((await api.get(`/api/secrets/${id}/usage`)).body).toMatchObject({
      bindings: [],
      repositories: [{ id: repository.id, url: host.url }],
      mcpServers: [],
    });
    const secrets: { id: string }[] = (await api.get(`/api/companies/${companyId}/secrets`)).body;
    expect(secrets.find((each) => each.id === id)).toMatchObject({ repositoryCount: 1, mcpServerCount: 0 });
    expect((await api.delete(`/api/secrets/${id}`)).body).toMatchObject({
      code: "secret_bound",
      details: { repositories: [{ id: repository.id, url: host.url }] },
    });
    expect((await api.delete(`/api/secrets/${id}?force=true`)).status).toBe(200);
    expect((await api.get(`/api/repositories/${repository.id}`)).body.credentialSecretId).toBe(null);
  });
});

describe("Git of a run", () => {
  let repositoryId: string;
  let work: AgentAtWork;
  let identifier: string;

  beforeAll(async () => {
    repositoryId = (await add()).body.id;
    const { id: agentId } = await api.agent(companyId);
    const issue = await api.issue(companyId, { projectId, assigneeAgentId: agentId });
    identifier = issue.identifier;
    work = await api.atWork(agentId, issue.id);
  });

  const at = (store: string, id = repositoryId) => `${api.url}/git/${id}/${store}`;

  /** Runs git as the agent's program does; resolves with what it printed. */
  const run = async (cwd: string, args: readonly string[], as = work) => {
    const settings = [
      ["http.extraHeader", `Authorization: Bearer ${as.token}`],
      ["http.extraHeader", `X-Service-Run-Id: ${as.runId}`],
      ["safe.directory", "*"],
    ];
    const env = Object.fromEntries(
      settings.flatMap(([name, value], n) => [
        [`GIT_CONFIG_KEY_${n}`, name],
        [`GIT_CONFIG_VALUE_${n}`, value],
      ]),
    );
    const done = await promisify(execFile)("git", args as string[], {
      cwd,
      env: { ...gitEnv, ...env, GIT_CONFIG_COUNT: String(settings.length) },
    }).catch((error) => error);
    return `${done.stdout}${done.stderr}`;
  };

  /** A clone of the host with a commit, as an agent would have it. */
  const clone = () => {
    const path = mkdtempSync(join(folder, "work-"));
    git(path, ["clone", "-q", host.bare, "."]);
    return { path, commit: commitFiles(path, { [`${randomUUID()}.txt`]: "work\n" }) };
  };
  const refs = async () => (await run(folder, ["ls-remote", at("kept")])).split("\n");

  it("reads the shared store, and pushes its own refs and the branch of its issue", async () => {
    const { path, commit } = clone();
    const own = `refs/boardroom/runs/${work.runId}`;
    const pushed = await run(path, [
      "push",
      "--atomic",
      at("kept"),
      `HEAD:refs/heads/boardroom/${identifier}`,
      `HEAD:${own}/tree`,
    ]);
    expect(pushed).toContain("[new branch]");
    expect(await refs()).toEqual(
      expect.arrayContaining([`${commit}\t${own}/tree`, `${commit}\trefs/heads/boardroom/${identifier}`]),
    );
    expect(await run(folder, ["ls-remote", at("shared")])).not.toContain(commit);
  });

  it("clones what the host has when it asks, and never learns the host's credential", async () => {
    const copy = mkdtempSync(join(folder, "copy-"));
    expect(await run(copy, ["clone", "-q", at("shared"), "."])).toBe("");
    expect(git(copy, ["rev-parse", "HEAD"]).toString()).toBe(
      git(host.bare, ["rev-parse", "main"]).toString(),
    );
    expect(() => execFileSync("grep", ["-rq", host.token!, join(copy, ".git")])).toThrow();
  });

  it("says why where the host cannot be used any more", async () => {
    const project = await aProject();
    const { body } = await add({}, project);
    const { id: agentId } = await api.agent(companyId);
    const issue = await api.issue(companyId, { projectId: project, assigneeAgentId: agentId });
    const reader = await api.atWork(agentId, issue.id);
    await api.sql`update repositories set url = ${host.at("/gone.git")} where id = ${body.id}`;
    const output = await run(folder, ["ls-remote", at("shared", body.id)], reader);
    expect(output).toContain("422");
    expect((await api.get(`/api/repositories/${body.id}`)).body.problem).toMatch(/no repository|not found/i);
  });

  it.each([
    ["the default branch", "HEAD:refs/heads/main"],
    ["the branch of another issue", "HEAD:refs/heads/boardroom/ABC-999"],
    ["refs of another run", `HEAD:refs/boardroom/runs/${randomUUID()}/tree`],
    ["a replacement", `HEAD:refs/replace/${"a".repeat(40)}`],
    ["its refs by another spelling", "HEAD:refs/boardroom/runs/../x"],
    ["HEAD", "HEAD:HEAD"],
  ])("may not push %s: nothing of the push is stored", async (_, refspec) => {
    const { path, commit } = clone();
    const own = `HEAD:refs/boardroom/runs/${work.runId}/heads/${randomUUID()}`;
    const output = await run(path, ["push", at("kept"), own, refspec]);
    expect(output).toMatch(/not a branch of this run|malformed|invalid|bad/i);
    expect((await refs()).join()).not.toContain(commit);
  });

  it("may not delete a branch", async () => {
    const { path } = clone();
    const ref = `refs/boardroom/runs/${work.runId}/heads/gone`;
    await run(path, ["push", at("kept"), `HEAD:${ref}`]);
    expect(await run(path, ["push", at("kept"), `:${ref}`])).toContain("a run deletes no branch");
    expect((await refs()).join()).toContain(ref);
  });

  it("pushes until all its pushes together, to any service, reach a limit, and is then told so by git", async () => {
    const { id: agentId } = await api.agent(companyId);
    const issue = await api.issue(companyId, { projectId, assigneeAgentId: agentId });
    const busy = await api.atWork(agentId, issue.id);
    const { path } = clone();
    const other = await startApi({ sharedWith: api, env: { SERVICE_SANDBOX: "auto" } });
    const atOther = at("kept").replace(api.url, other.url);
    try {
      const push = (name: string, to = at("kept")) =>
        run(path, ["push", to, `HEAD:refs/boardroom/runs/${busy.runId}/heads/${name}`], busy);
      const reason = `a run can push at most ${pushLimits.pushes} times`;
      expect(await push("first")).toContain("[new reference]");
      // Those that git refuses were read all the same: they count.
      const { status } = await fetch(`${atOther}/git-receive-pack`, {
        method: "POST",
        body: "hello",
        headers: {
          authorization: `Bearer ${busy.token}`,
          "x-service-run-id": busy.runId,
          "content-type": "application/x-git-receive-pack-request",
        },
      });
      expect(status).toBe(400);
      // The answer may come before its body has ended, and then it is counted.
      await eventually(
        () => api.sql`select from run_pushes where run_id = ${busy.runId} and pushes = 2`,
        (rows) => rows.length === 1,
      );
      const [counted] = await api.sql`
        update    run_pushes
        set       pushes = pushes + ${pushLimits.pushes - 3}
        where     run_id = ${busy.runId}
        returning pushes, bytes > 5 as has_bytes
      `;
      expect(counted).toMatchObject({ pushes: pushLimits.pushes - 1, has_bytes: true });
      expect(await push("last")).toContain("[new reference]");
      for (const to of [at("kept"), atOther]) {
        const refused = await push("more", to);
        expect(refused).toContain(reason);
        expect(refused).toContain("[remote rejected]");
      }
    } finally {
      await other.stop();
    }
    const found = await run(folder, ["ls-remote", at("kept")], busy);
    expect(found).toContain("/heads/last");
    expect(found).not.toContain("/heads/more");
    // Another run has limits of its own.
    const ref = `refs/boardroom/runs/${work.runId}/heads/${randomUUID()}`;
    expect(await run(path, ["push", at("kept"), `HEAD:${ref}`])).toContain("[new reference]");
  });

  it("pushes nothing once a stop of its run has been requested, and reads", async () => {
    const { id: agentId } = await api.agent(companyId);
    const issue = await api.issue(companyId, { projectId, assigneeAgentId: agentId });
    const stopped = await api.atWork(agentId, issue.id);
    const { path } = clone();
    const ref = `refs/boardroom/runs/${stopped.runId}/heads/late`;
    await api.sql`update runs set stop_requested_at = now(), stop_reason = 'cancelled' where id = ${stopped.runId}`;
    expect(await run(path, ["push", at("kept"), `HEAD:${ref}`], stopped)).toContain(
      "the run is being stopped",
    );
    expect(await run(path, ["ls-remote", at("kept")], stopped)).not.toContain("late");
    expect(await run(path, ["ls-remote", at("shared")], stopped)).toContain("refs/heads/main");
  });

  it.each([
    ["a small push", 0],
    ["a push of several packets", 300_000],
  ])("pushes nothing of %s whose body ends after the stop", async (_, size) => {
    const { id: agentId } = await api.agent(companyId);
    const issue = await api.issue(companyId, { projectId, assigneeAgentId: agentId });
    const slow = await api.atWork(agentId, issue.id);
    const { path } = clone();
    const commit = commitFiles(path, { late: randomBytes(size).toString("base64") });
    const ref = `refs/boardroom/runs/${slow.runId}/heads/late`;
    const pack = execFileSync("git", ["pack-objects", "--stdout", "--revs", "-q"], {
      cwd: path,
      env: gitEnv,
      input: `${commit}\n`,
    });
    const command = pktLine(`${"0".repeat(40)} ${commit} ${ref}\0report-status`);
    const body = Buffer.concat([Buffer.from(`${command}0000`), pack]);
    const upload = new TransformStream<Uint8Array, Uint8Array>();
    const writer = upload.writable.getWriter();
    const answer = fetch(`${at("kept")}/git-receive-pack`, {
      method: "POST",
      body: upload.readable,
      duplex: "half",
      headers: {
        authorization: `Bearer ${slow.token}`,
        "x-service-run-id": slow.runId,
        "content-type": "application/x-git-receive-pack-request",
      },
    } as RequestInit);
    await writer.write(body.subarray(0, body.length - 10));
    // The service has judged the request by the time it reads it.
    await eventually(
      () => api.sql`select from pg_stat_activity where query like '%run_pushes push%'`,
      (rows) => rows.length > 0,
    );
    await api.sql`update runs set stop_requested_at = now(), stop_reason = 'cancelled' where id = ${slow.runId}`;
    await writer.write(body.subarray(body.length - 10));
    await writer.close();
    await (await answer).text().catch(() => "");
    expect(await run(path, ["ls-remote", at("kept")], slow)).not.toContain("late");
    await eventually(
      () => api.sql`select from run_pushes where run_id = ${slow.runId} and pushes = 1`,
      (rows) => rows.length === 1,
    );
  });

  it("pushes more than git's buffer holds, which git asks about with an empty request", async () => {
    const { path } = clone();
    const commit = commitFiles(path, { "large.txt": randomBytes(3 * 2 ** 20).toString("base64") });
    const ref = `refs/boardroom/runs/${work.runId}/heads/large`;
    expect(await run(path, ["push", at("kept"), `HEAD:${ref}`])).toContain("[new reference]");
    expect(await refs()).toContain(`${commit}\t${ref}`);
  });

  it("gives no commit of another run's work by its id, in any protocol", async () => {
    const { path, commit } = clone();
    await run(path, ["push", at("kept"), `HEAD:refs/boardroom/runs/${work.runId}/tree`]);
    const { id: agentId } = await api.agent(companyId);
    const issue = await api.issue(companyId, { projectId, assigneeAgentId: agentId });
    const other = await api.atWork(agentId, issue.id);
    const empty = mkdtempSync(join(folder, "empty-"));
    git(empty, ["init", "-q", "."]);
    for (const version of ["0", "1", "2"])
      for (const store of ["kept", "shared"])
        expect(
          await run(empty, ["-c", `protocol.version=${version}`, "fetch", at(store), commit], other),
        ).toMatch(
          /not our ref|unadvertised|not advertised|no such ref|couldn't find|no matching remote head/i,
        );
    expect(() => git(empty, ["cat-file", "-e", commit])).toThrow();
    expect(await run(folder, ["ls-remote", at("kept")], other)).not.toContain(commit);
  });

  it.each([
    ["no credential", { token: null }, 401],
    ["a board token", {}, 401],
    ["a wrong token", { token: "x" }, 401],
  ])("answers %s with %s", async (_, raw, status) => {
    const answer = await fetch(`${at("shared")}/info/refs?service=git-upload-pack`, {
      headers:
        "token" in raw
          ? raw.token === null
            ? {}
            : { authorization: `Bearer ${raw.token}` }
          : { authorization: `Bearer ${api.token}` },
    });
    expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([
      status,
      'Basic realm="boardroom"',
    ]);
  });

  it("takes no token from an address", async () => {
    const { status } = await fetch(
      `${at("shared")}/info/refs?service=git-upload-pack&token=${work.token}&access_token=${work.token}`,
      { headers: { "x-service-run-id": work.runId } },
    );
    expect(status).toBe(401);
  });

  const headers = () => ({ authorization: `Bearer ${work.token}`, "x-service-run-id": work.runId });

  it("does not find another company's repository, or one that is in no project of its issue", async () => {
    const { body } = await add({}, await aProject());
    const { id: otherId } = await api.company();
    const { id: project } = await api.make(`/api/companies/${otherId}/projects`, { name: "P" });
    const { id: credentialSecretId } = await api.make(`/api/companies/${otherId}/secrets`, {
      name: "host",
      value: host.token,
    });
    const { body: foreign } = await add({ credentialSecretId }, project);
    for (const id of [body.id, foreign.id, randomUUID(), "x"]) {
      const answer = await fetch(`${at("shared", id)}/info/refs?service=git-upload-pack`, {
        headers: headers(),
      });
      expect([answer.status, await answer.text()]).toEqual([404, "Repository not found.\n"]);
    }
  });

  it("ends with its run", async () => {
    const { id: agentId } = await api.agent(companyId);
    const issue = await api.issue(companyId, { projectId, assigneeAgentId: agentId });
    const ended = await api.atWork(agentId, issue.id);
    await api.make(`/api/heartbeat-runs/${ended.runId}/cancel`);
    const answer = await fetch(`${at("shared")}/info/refs?service=git-upload-pack`, {
      headers: { authorization: `Bearer ${ended.token}`, "x-service-run-id": ended.runId },
    });
    expect(answer.status).toBeGreaterThanOrEqual(401);
    expect(answer.status).toBeLessThan(404);
  });

  const post = (body: Body, service = "git-receive-pack", more: Record<string, string> = {}) =>
    fetch(`${at("kept")}/${service}`, {
      method: "POST",
      headers: { ...headers(), "content-type": `application/x-${service}-request`, ...more },
      body,
    });
  const command = (n: number) =>
    pktLine(`${"0".repeat(40)} ${"a".repeat(40)} refs/boardroom/runs/${work.runId}/heads/h${n}\n`);

  it.each([
    ["201 refs", () => `${Array.from({ length: 201 }, (_, n) => command(n)).join("")}0000`, {}, 400],
    ["100 KB of commands without an end", () => command(0).repeat(1_000), {}, 400],
    ["no commands", () => "0000PACK", {}, 400],
    ["text", () => "hello", {}, 400],
    ["a gzip bomb", () => gzipSync(Buffer.alloc(64 * 2 ** 20)), { "content-encoding": "gzip" }, 400],
    ["another encoding", () => "x", { "content-encoding": "br" }, 415],
  ])("refuses %s", async (_, body, more, status) => {
    expect((await post(body() as Body, "git-receive-pack", more)).status).toBe(status);
  });

  it("refuses a gzip bomb of a reader", async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 2 ** 20, "0"));
    const answer = await post(bomb as Body, "git-upload-pack", { "content-encoding": "gzip" });
    expect(await answer.text()).not.toContain("PACK");
    expect((await refs()).length).toBeGreaterThan(0);
  });

  it("leaves nothing of a push that breaks off in the middle", async () => {
    const { path, commit } = clone();
    const own = `refs/boardroom/runs/${work.runId}/heads/cut`;
    const whole = execFileSync("git", ["pack-objects", "--revs", "--stdout", "-q"], {
      cwd: path,
      input: `${commit}\n`,
    });
    const head = Buffer.from(`${pktLine(`${"0".repeat(40)} ${commit} ${own}\0 report-status\n`)}0000`);
    const answer = await post(Buffer.concat([head, whole.subarray(0, -25)]) as Body);
    expect(await answer.text()).toContain("unpack");
    expect((await refs()).join()).not.toContain(own);
    const objectsFolder = join(api.dataDir, "repositories", companyId, repositoryId, "kept.git", "objects");
    expect(readdirSync(objectsFolder).filter((name) => /incoming|tmp/.test(name))).toEqual([]);
  });
});
