import { z } from "zod";
import type { HostComment } from "../../core/model/repositories/pull-request-at-host.ts";
import type { HostApi } from "./host-api.ts";
import type { HostModule } from "./host-module.ts";
import { address, type Check, commit, commitOrNone, read, text, together, web } from "./shapes.ts";

const Branch = z.object({ ref: z.string(), sha: commit });

const Pull = z.object({
  number: z.number().int(),
  html_url: web,
  state: z.enum(["open", "closed"]),
  merged: z.boolean(),
  merge_commit_sha: commitOrNone,
  head: Branch,
  base: Branch.pick({ ref: true }),
});

const Statuses = z.object({
  // A commit without any has null.
  statuses: z
    .array(z.object({ context: text, status: z.string(), description: text, target_url: address }))
    .nullish(),
});

const User = z.object({ login: z.string() }).nullish();

const Note = z.object({
  id: z.number(),
  body: text,
  user: User,
  html_url: address,
  state: z.string().optional(),
  comments_count: z.number().optional(),
});

const Line = z.object({
  id: z.number(),
  body: text,
  user: User,
  html_url: address,
  path: z.string(),
  position: z.number().nullish(),
});

const writers = new Set(["owner", "admin", "write"]);

/** Says of each author whether it may write to the repository, asking once. */
const trustOf = (api: HostApi, repo: string) => {
  const known = new Map<string, boolean>();
  return async (login: string): Promise<boolean> => {
    const before = known.get(login);
    if (before !== undefined) return before;
    const { status, json } = await api.call(`${repo}/collaborators/${encodeURIComponent(login)}/permission`);
    const may = status === 200 && writers.has(read(z.object({ permission: z.string() }), json).permission);
    known.set(login, may);
    return may;
  };
};

/** Gitea and Forgejo. */
export const gitea: HostModule = {
  apiOf: ({ origin, pathname }) => `${origin}${pathname.split("/").slice(0, -2).join("/")}/api/v1`,
  scheme: "token",
  repositoryOf: (path) => `/repos/${path.slice(-2).map(encodeURIComponent).join("/")}`,
  find: async (api, repo, { branch, into }) => {
    const open = read(z.array(Pull), await api.list(`${repo}/pulls?state=open`, 50, "limit"));
    const found = open.find(({ head, base }) => head.ref === branch && base.ref === into);
    return found === undefined ? null : { number: found.number, url: found.html_url };
  },
  create: async (api, repo, { branch, into, title, body }) => {
    const made = read(Pull, await api.post(`${repo}/pulls`, { head: branch, base: into, title, body }));
    return { number: made.number, url: made.html_url };
  },
  poll: async (api, repo, number) => {
    const pull = read(Pull, await api.get(`${repo}/pulls/${number}`));
    const head = pull.head.sha;
    const { statuses } = read(Statuses, await api.get(`${repo}/commits/${head}/status`));
    const isTrusted = trustOf(api, repo);
    const notes: HostComment[] = [];
    const add = async (
      id: string,
      {
        body,
        user,
        html_url: url,
        path = null,
        position = null,
      }: Pick<z.output<typeof Note>, "body" | "user" | "html_url"> & {
        path?: string | null;
        position?: number | null;
      },
      asksForChanges = false,
    ) => {
      const author = user?.login;
      if ((body.trim() === "" && !asksForChanges) || author === undefined || !(await isTrusted(author)))
        return;
      notes.push({ id, author, text: body, path, line: position ?? null, url, asksForChanges });
    };
    for (const review of read(
      z.array(Note),
      await api.list(`${repo}/pulls/${number}/reviews`, 50, "limit"),
    )) {
      if (review.state === "PENDING") continue;
      await add(`review:${review.id}`, review, review.state === "REQUEST_CHANGES");
      if (review.comments_count === 0) continue;
      const lines = await api.get(`${repo}/pulls/${number}/reviews/${review.id}/comments`);
      for (const line of read(z.array(Line), lines)) await add(`line:${line.id}`, line);
    }
    for (const note of read(z.array(Note), await api.get(`${repo}/issues/${number}/comments`)))
      await add(`comment:${note.id}`, note);
    return {
      number,
      url: pull.html_url,
      state: pull.merged ? "merged" : pull.state,
      head,
      mergeCommit: pull.merged ? pull.merge_commit_sha : null,
      checks: await together(
        (statuses ?? []).map(
          ({ context, status, description, target_url: url }): Check => ({
            state:
              status === "pending"
                ? "pending"
                : status === "success" || status === "warning"
                  ? "passed"
                  : "failed",
            // The log is at the address: a status has none.
            failure: async () => ({ name: context, step: null, url, logEnd: description || null }),
          }),
        ),
      ),
      notes,
    };
  },
};
