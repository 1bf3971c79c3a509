import { createHmac } from "node:crypto";
import { mkdirSync, symlinkSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type GitHost, git } from "../git-host.ts";
import { described } from "./described.ts";

export type PullHostKind = "github" | "gitea" | "gitlab";

interface Pull {
  readonly number: number;
  readonly branch: string;
  readonly into: string;
  readonly title: string;
  state: "open" | "closed" | "merged";
  mergeCommit: string | null;
}

interface PostedComment {
  readonly id: number;
  readonly pull: number;
  readonly author: string;
  readonly text: string;
  readonly path: string | null;
  readonly line: number | null;
  readonly asksForChanges: boolean;
}

interface CheckOf {
  readonly commit: string;
  readonly name: string;
  readonly state: "pending" | "success" | "failure";
  readonly log: string;
}

/** People who may write to the repository. */
const writers = new Set(["alice"]);
const idOf = (name: string): number => (writers.has(name) ? 7 : 8);

/**
 * Starts the interface of a host of that kind beside its git, for the repository `/o/r.git`. GitHub's and Gitea's requests
 * and answers are checked against the published description: a request that it does not have is answered with 500, which
 * fails the test in `close`. GitLab publishes none, and answers in the shapes of its documentation.
 */
export const startPullRequestHost = async (host: GitHost, kind: PullHostKind) => {
  const api = kind === "gitlab" ? null : described(kind);
  mkdirSync(join(host.folder, "o"), { recursive: true });
  symlinkSync(host.bare, join(host.folder, "o", "r.git"));
  const pulls: Pull[] = [];
  const comments: PostedComment[] = [];
  const checks: CheckOf[] = [];
  const asked: string[] = [];
  const problems: string[] = [];
  let refuse: { status: number; times: number } | null = null;
  let notModified = 0;

  const headOf = (branch: string): string | null => {
    try {
      return git(host.bare, ["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`]);
    } catch {
      return null;
    }
  };
  const openOf = (branch: string, into: string) =>
    pulls.find((pull) => pull.state === "open" && pull.branch === branch && pull.into === into);
  const open = (branch: string, into: string, title: string) => {
    if (headOf(branch) === null || openOf(branch, into) !== undefined) return null;
    const pull: Pull = { number: pulls.length + 1, branch, into, title, state: "open", mergeCommit: null };
    pulls.push(pull);
    return pull;
  };

  const hubPull = (pull: Pull) => {
    const url = `${started.web}/o/r/pulls/${pull.number}`;
    return {
      number: pull.number,
      html_url: url,
      title: pull.title,
      state: pull.state === "open" ? "open" : "closed",
      merged: pull.state === "merged",
      merge_commit_sha: pull.mergeCommit ?? "0".repeat(40),
      head: { ref: pull.branch, sha: headOf(pull.branch) ?? "0".repeat(40) },
      base: { ref: pull.into },
    };
  };
  const hubNote = (note: PostedComment) => ({
    id: note.id,
    body: note.text,
    html_url: `${started.web}/o/r/notes/${note.id}`,
    user: { login: note.author },
    ...(kind === "github" ? { author_association: writers.has(note.author) ? "MEMBER" : "NONE" } : {}),
  });
  const ofPull = (number: number, isLine: boolean) =>
    comments.filter((note) => note.pull === number && (note.path !== null) === isLine);
  const found = (number: number): Pull | null => pulls.find((pull) => pull.number === number) ?? null;

  /** The answer of GitHub or Gitea; null: 404. */
  const hub = (
    template: string,
    method: string,
    params: Readonly<Record<string, string>>,
    query: URLSearchParams,
    body: Record<string, string>,
  ): { status: number; given: unknown } | null => {
    const number = Number(params.pull_number ?? params.index ?? params.issue_number);
    const of = (commit = "") => checks.filter((check) => check.commit === commit);
    const ok = (given: unknown) => ({ status: 200, given });
    const rest = template.replace("/repos/{owner}/{repo}", "").replace(/\{[^}]+\}/g, "*");
    if (params.owner !== "o" || params.repo !== "r") return null;
    switch (`${method} ${rest}`) {
      case "GET ":
        return ok({ name: "r" });
      case "GET /pulls": {
        const branch = query.get("head")?.replace(/^o:/, "");
        return ok(
          pulls
            .filter((pull) => pull.state === "open" && (branch === undefined || pull.branch === branch))
            .map(hubPull),
        );
      }
      case "POST /pulls": {
        const pull = open(body.head ?? "", body.base ?? "", body.title ?? "");
        return pull === null
          ? { status: kind === "github" ? 422 : 409, given: {} }
          : { status: 201, given: hubPull(pull) };
      }
      case "GET /pulls/*": {
        const pull = found(number);
        return pull === null ? null : ok(hubPull(pull));
      }
      case "GET /pulls/*/reviews":
        return ok(
          kind === "github"
            ? ofPull(number, false)
                .filter((note) => note.asksForChanges)
                .map((note) => ({ ...hubNote(note), state: "CHANGES_REQUESTED" }))
            : comments
                .filter((note) => note.pull === number && (note.asksForChanges || note.path !== null))
                .map((note) => ({
                  ...hubNote(note),
                  ...(note.path === null ? {} : { body: "" }),
                  state: note.asksForChanges ? "REQUEST_CHANGES" : "COMMENT",
                  comments_count: note.path === null ? 0 : 1,
                })),
        );
      case "GET /pulls/*/comments":
        return ok(
          ofPull(number, true).map((note) => ({ ...hubNote(note), path: note.path, line: note.line })),
        );
      case "GET /pulls/*/reviews/*/comments":
        return ok(
          ofPull(number, true)
            .filter((note) => String(note.id) === params.id)
            .map((note) => ({ ...hubNote(note), path: note.path, position: note.line })),
        );
      case "GET /issues/*/comments":
        return ok(
          ofPull(number, false)
            .filter((note) => !note.asksForChanges)
            .map(hubNote),
        );
      case "GET /commits/*/check-runs":
        return ok({
          total_count: of(params.ref).length,
          check_runs: of(params.ref).map((check) => ({
            id: checks.indexOf(check) + 1,
            name: check.name,
            head_sha: check.commit,
            status: check.state === "pending" ? "in_progress" : "completed",
            conclusion: check.state === "pending" ? null : check.state,
            details_url: `${started.web}/o/r/checks/${checks.indexOf(check) + 1}`,
            app: { slug: "github-actions" },
            output: { title: null, summary: null, text: null },
          })),
        });
      case "GET /commits/*/status":
        return kind === "github"
          ? ok({ state: "pending", statuses: [], sha: params.ref })
          : ok({
              state: "pending",
              sha: params.ref,
              statuses: of(params.ref).map((check) => ({
                context: check.name,
                status: check.state,
                description: check.log,
                target_url: `${started.web}/o/r/checks/${check.name}`,
              })),
            });
      case "GET /actions/jobs/*":
        return ok({
          id: Number(params.job_id),
          steps: [
            { name: "Set up job", status: "completed", conclusion: "success", number: 1 },
            { name: "Run tests", status: "completed", conclusion: "failure", number: 2 },
          ],
        });
      case "GET /collaborators/*/permission":
        return ok({ permission: writers.has(params.collaborator ?? "") ? "write" : "read" });
      default:
        throw new Error(`not served: ${method} ${template}`);
    }
  };

  /** The answer of GitLab; null: 404. */
  const lab = (
    method: string,
    path: string,
    query: URLSearchParams,
    body: Record<string, string>,
  ): unknown => {
    const [, rest = ""] = /^\/projects\/o%2Fr(.*)$/.exec(path) ?? [];
    const request = (pull: Pull) => {
      const sha = headOf(pull.branch) ?? "0".repeat(40);
      const of = checks.filter((check) => check.commit === sha);
      const status = of.some(({ state }) => state === "failure")
        ? "failed"
        : of.some(({ state }) => state === "pending")
          ? "running"
          : "success";
      return {
        iid: pull.number,
        web_url: `${started.web}/o/r/-/merge_requests/${pull.number}`,
        state: pull.state === "open" ? "opened" : pull.state,
        sha,
        merge_commit_sha: pull.mergeCommit,
        squash_commit_sha: null,
        head_pipeline: of.length === 0 ? null : { id: 1, status, sha, web_url: `${started.web}/pipelines/1` },
      };
    };
    if (!/^\/projects\/o%2Fr/.test(path)) return null;
    if (rest === "") return { id: 1 };
    if (rest === "/merge_requests" && method === "GET")
      return [openOf(query.get("source_branch") ?? "", query.get("target_branch") ?? "")]
        .filter((pull) => pull !== undefined)
        .map(request);
    if (rest === "/merge_requests") {
      const pull = open(body.source_branch ?? "", body.target_branch ?? "", body.title ?? "");
      return pull === null
        ? { status: 409, message: ["Another open merge request already exists"] }
        : request(pull);
    }
    const one = /^\/merge_requests\/(\d+)(\/notes)?$/.exec(rest);
    const pull = one === null ? null : found(Number(one[1]));
    if (pull !== null && one?.[2] === undefined) return request(pull);
    if (pull !== null)
      return comments
        .filter((note) => note.pull === pull.number)
        .map((note) => ({
          id: note.id,
          body: note.text,
          system: false,
          author: { id: idOf(note.author), username: note.author },
          ...(note.path === null ? {} : { position: { new_path: note.path, new_line: note.line } }),
        }));
    if (rest === "/pipelines/1/jobs")
      return checks
        .filter(({ state }) => state === "failure")
        .map((check) => ({
          id: checks.indexOf(check) + 1,
          name: check.name,
          stage: "Run tests",
          web_url: started.web,
        }));
    const member = /^\/members\/all\/(\d+)$/.exec(rest);
    if (member !== null) return { access_level: member[1] === "7" ? 40 : 10 };
    return null;
  };

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      problems.push(String(error));
      response.writeHead(500).end();
    });
  });
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://x");
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = chunks.length === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString());
    const method = request.method ?? "GET";
    if (pathname.startsWith("/logs/")) {
      // Elsewhere: nothing may be sent there that opens the host.
      if (request.headers.authorization !== undefined) problems.push("the credential was sent to the logs");
      return void response.writeHead(200).end(checks[Number(pathname.slice(6)) - 1]?.log ?? "");
    }
    asked.push(`${method} ${pathname}`);
    if (!(request.headers.authorization ?? "").endsWith(` ${host.token}`))
      return void response.writeHead(401).end('{"message":"Bad credentials"}');
    if (refuse !== null && refuse.times-- > 0)
      return void response.writeHead(refuse.status).end('{"message":"Not now"}');
    const path = pathname.replace(/^\/api\/v\d/, "");
    const say = (status: number, json: unknown) => {
      const text = JSON.stringify(json);
      const etag = `"${createHmac("sha256", "etag").update(text).digest("hex").slice(0, 16)}"`;
      if (method === "GET" && request.headers["if-none-match"] === etag) {
        notModified += 1;
        return void response.writeHead(304).end();
      }
      response.writeHead(status, { "content-type": "application/json", etag }).end(text);
    };
    const log = /\/(?:actions\/jobs\/(\d+)\/logs|jobs\/(\d+)\/trace)$/.exec(path);
    if (api !== null) {
      const operation = api.operation(method, path, searchParams, body);
      if (log !== null)
        return void response.writeHead(302, { location: `${started.web}/logs/${log[1]}` }).end();
      const given = hub(operation.template, method, operation.params, searchParams, body ?? {});
      if (given === null) return say(404, { message: "Not Found" });
      return say(
        given.status,
        given.status >= 400 ? { message: "Validation Failed" } : operation.answer(given.status, given.given),
      );
    }
    if (log !== null) return void response.writeHead(200).end(checks[Number(log[2]) - 1]?.log ?? "");
    const given = lab(method, path, searchParams, body ?? {});
    if (given === null) return say(404, { message: "404 Not Found" });
    const { status = method === "POST" ? 201 : 200 } = given as { status?: number };
    say(typeof status === "number" ? status : 200, given);
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const version = { github: "v3", gitea: "v1", gitlab: "v4" }[kind];
  const started = {
    web: `http://127.0.0.1:${port}`,
    /** The fields of a repository there. */
    fields: {
      url: host.at("/o/r.git"),
      hostKind: kind,
      hostApiUrl: `http://127.0.0.1:${port}/api/${version}`,
      allowPrivateHost: true,
    },
    pulls,
    /** Requests, without those of logs. */
    asked,
    notModified: () => notModified,
    headOf,
    check: (name: string, state: CheckOf["state"], branch: string, log = "") =>
      checks.push({ commit: headOf(branch) ?? "", name, state, log }),
    say: (pull: number, author: string, text: string, more: Partial<PostedComment> = {}) =>
      comments.push({
        id: comments.length + 1,
        pull,
        author,
        text,
        path: null,
        line: null,
        asksForChanges: false,
        ...more,
      }),
    /** As people press the button: a merge commit in the repository. */
    merge: (number: number) => {
      const pull = found(number)!;
      const [onto = "", from = ""] = [headOf(pull.into), headOf(pull.branch)].map((each) => each ?? "");
      const tree = git(host.bare, ["merge-tree", "--write-tree", onto, from]);
      const commit = git(host.bare, ["commit-tree", tree, "-p", onto, "-p", from, "-m", "Merge"]);
      git(host.bare, ["update-ref", `refs/heads/${pull.into}`, commit]);
      pull.state = "merged";
      pull.mergeCommit = commit;
      return commit;
    },
    closePull: (number: number) => {
      found(number)!.state = "closed";
    },
    refuse: (status: number, times: number) => {
      refuse = { status, times };
    },
    /** Throws what the host did not understand. */
    close: () => {
      server.closeAllConnections();
      server.close();
      if (problems.length > 0) throw new Error(problems.join("\n"));
    },
  };
  return started;
};

export type PullRequestHost = Awaited<ReturnType<typeof startPullRequestHost>>;
