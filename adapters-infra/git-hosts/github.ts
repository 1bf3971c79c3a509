import { z } from "zod";
import type { HostComment } from "../../core/model/repositories/pull-request-at-host.ts";
import type { HostApi } from "./host-api.ts";
import type { HostModule } from "./host-module.ts";
import {
  address,
  type Check,
  commit,
  commitOrNone,
  logEndBytes,
  read,
  text,
  together,
  web,
} from "./shapes.ts";

const Pull = z.object({
  number: z.number().int(),
  html_url: web,
  state: z.enum(["open", "closed"]),
  merged: z.boolean(),
  merge_commit_sha: commitOrNone,
  head: z.object({ sha: commit }),
});

const CheckRuns = z.object({
  check_runs: z.array(
    z.object({
      id: z.number(),
      name: z.string(),
      status: z.string(),
      conclusion: z.string().nullable(),
      details_url: address,
      app: z.object({ slug: z.string().optional() }).nullish(),
      output: z.object({ title: text, summary: text, text }).nullish(),
    }),
  ),
});

const Statuses = z.object({
  statuses: z.array(
    z.object({ context: z.string(), state: z.string(), description: text, target_url: address }),
  ),
});

const Job = z.object({
  steps: z.array(z.object({ name: z.string(), conclusion: z.string().nullish() })).nullish(),
});

const Note = z.object({
  id: z.number(),
  body: text,
  state: z.string().optional(),
  path: z.string().nullish(),
  line: z.number().nullish(),
  html_url: address,
  user: z.object({ login: z.string() }).nullable(),
  author_association: z.string(),
});

/** Those who may write to the repository. */
const trusted = new Set(["OWNER", "MEMBER", "COLLABORATOR"]);
const fine = new Set(["success", "neutral", "skipped"]);

const checkRun = (
  api: HostApi,
  repo: string,
  run: z.output<typeof CheckRuns>["check_runs"][number],
): Check => ({
  state: run.status !== "completed" ? "pending" : fine.has(run.conclusion ?? "") ? "passed" : "failed",
  failure: async () => {
    const { name, details_url: url, output, app } = run;
    const report = [output?.title, output?.summary, output?.text].filter((part) => part).join("\n");
    const own = { name, step: null, url, logEnd: report === "" ? null : report.slice(-logEndBytes) };
    if (app?.slug !== "github-actions") return own;
    // Its jobs have the ids of their checks. What cannot be read, such as without that permission, is left out.
    const job = await api.call(`${repo}/actions/jobs/${run.id}`);
    const steps = job.status === 200 ? read(Job, job.json).steps : null;
    const logEnd = await api.logEnd(`${repo}/actions/jobs/${run.id}/logs`, logEndBytes).catch(() => null);
    return {
      ...own,
      step: steps?.find(({ conclusion }) => conclusion === "failure")?.name ?? null,
      logEnd: logEnd ?? own.logEnd,
    };
  },
});

export const github: HostModule = {
  apiOf: ({ host, origin }) => (host === "github.com" ? "https://api.github.com" : `${origin}/api/v3`),
  scheme: "Bearer",
  repositoryOf: (path) => `/repos/${path.slice(-2).map(encodeURIComponent).join("/")}`,
  find: async (api, repo, { branch, into }, path) => {
    const head = encodeURIComponent(`${path.at(-2)}:${branch}`);
    const found = await api.get(`${repo}/pulls?state=open&head=${head}&base=${encodeURIComponent(into)}`);
    const [first] = read(z.array(Pull.pick({ number: true, html_url: true })), found);
    return first === undefined ? null : { number: first.number, url: first.html_url };
  },
  create: async (api, repo, { branch, into, title, body }) => {
    const made = read(
      Pull.pick({ number: true, html_url: true }),
      await api.post(`${repo}/pulls`, { head: branch, base: into, title, body }),
    );
    return { number: made.number, url: made.html_url };
  },
  poll: async (api, repo, number) => {
    const pull = read(Pull, await api.get(`${repo}/pulls/${number}`));
    const head = pull.head.sha;
    const runs = read(CheckRuns, await api.get(`${repo}/commits/${head}/check-runs?per_page=100`)).check_runs;
    const { statuses } = read(Statuses, await api.get(`${repo}/commits/${head}/status?per_page=100`));
    const lists = [
      ["review", `${repo}/pulls/${number}/reviews`],
      ["line", `${repo}/pulls/${number}/comments`],
      ["comment", `${repo}/issues/${number}/comments`],
    ] as const;
    const notes: HostComment[] = [];
    for (const [kind, path] of lists)
      for (const note of read(z.array(Note), await api.list(path, 100, "per_page"))) {
        const asksForChanges = note.state === "CHANGES_REQUESTED";
        const hasText = note.body.trim() !== "" || asksForChanges;
        if (note.state === "PENDING" || !hasText || !trusted.has(note.author_association)) continue;
        notes.push({
          id: `${kind}:${note.id}`,
          author: note.user?.login ?? "somebody",
          text: note.body,
          path: note.path ?? null,
          line: note.line ?? null,
          url: note.html_url,
          asksForChanges,
        });
      }
    return {
      number,
      url: pull.html_url,
      state: pull.merged ? "merged" : pull.state,
      head,
      mergeCommit: pull.merged ? pull.merge_commit_sha : null,
      checks: await together([
        ...runs.map((run) => checkRun(api, repo, run)),
        ...statuses.map(
          ({ context, state, description, target_url: url }): Check => ({
            state: state === "success" ? "passed" : state === "pending" ? "pending" : "failed",
            failure: async () => ({ name: context, step: null, url, logEnd: description || null }),
          }),
        ),
      ]),
      notes,
    };
  },
};
