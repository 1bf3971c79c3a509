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

const MergeRequest = z.object({
  iid: z.number().int(),
  web_url: web,
  state: z.string(),
  sha: commit,
  merge_commit_sha: commitOrNone,
  squash_commit_sha: commitOrNone,
  head_pipeline: z
    .object({ id: z.number(), status: z.string(), web_url: address, sha: z.string().nullish() })
    .nullish(),
});

const Job = z.object({
  id: z.number(),
  name: z.string(),
  stage: z.string(),
  web_url: address,
  allow_failure: z.boolean().optional(),
});

const Note = z.object({
  id: z.number(),
  body: text,
  system: z.boolean(),
  author: z.object({ id: z.number(), username: z.string() }),
  position: z.object({ new_path: z.string().nullish(), new_line: z.number().nullish() }).nullish(),
});

/** A Developer may push to branches. */
const developer = 30;
const passed = new Set(["success", "skipped", "manual"]);
const failed = new Set(["failed", "canceled"]);

const pipelineChecks = async (
  api: HostApi,
  repo: string,
  { sha, head_pipeline: pipeline }: z.output<typeof MergeRequest>,
): Promise<readonly Check[]> => {
  // One of an earlier push says nothing of this one.
  if (pipeline == null || (pipeline.sha != null && pipeline.sha !== sha)) return [];
  const whole: Check = {
    state: passed.has(pipeline.status) ? "passed" : failed.has(pipeline.status) ? "failed" : "pending",
    failure: async () => ({ name: "pipeline", step: null, url: pipeline.web_url, logEnd: null }),
  };
  if (whole.state !== "failed") return [whole];
  const jobs = read(
    z.array(Job),
    await api.get(`${repo}/pipelines/${pipeline.id}/jobs?scope[]=failed&per_page=100`),
  );
  const broken = jobs.filter((job) => job.allow_failure !== true);
  return broken.length === 0
    ? [whole]
    : broken.map(({ id, name, stage, web_url: url }) => ({
        state: "failed",
        failure: async () => ({
          name,
          step: stage,
          url,
          logEnd: await api.logEnd(`${repo}/jobs/${id}/trace`, logEndBytes).catch(() => null),
        }),
      }));
};

export const gitlab: HostModule = {
  apiOf: ({ origin }) => `${origin}/api/v4`,
  scheme: "Bearer",
  repositoryOf: (path) => `/projects/${encodeURIComponent(path.join("/"))}`,
  find: async (api, repo, { branch, into }) => {
    const query = new URLSearchParams({ state: "opened", source_branch: branch, target_branch: into });
    const [first] = read(
      z.array(MergeRequest.pick({ iid: true, web_url: true })),
      await api.get(`${repo}/merge_requests?${query}`),
    );
    return first === undefined ? null : { number: first.iid, url: first.web_url };
  },
  create: async (api, repo, { branch, into, title, body }) => {
    const asked = { source_branch: branch, target_branch: into, title, description: body };
    const made = read(
      MergeRequest.pick({ iid: true, web_url: true }),
      await api.post(`${repo}/merge_requests`, asked),
    );
    return { number: made.iid, url: made.web_url };
  },
  poll: async (api, repo, number) => {
    const request = read(MergeRequest, await api.get(`${repo}/merge_requests/${number}`));
    const levels = new Map<number, boolean>();
    const isTrusted = async (id: number): Promise<boolean> => {
      const before = levels.get(id);
      if (before !== undefined) return before;
      const { status, json } = await api.call(`${repo}/members/all/${id}`);
      const may =
        status === 200 && read(z.object({ access_level: z.number() }), json).access_level >= developer;
      levels.set(id, may);
      return may;
    };
    const notes: HostComment[] = [];
    const comments = await api.list(
      `${repo}/merge_requests/${number}/notes?sort=asc&order_by=created_at`,
      100,
      "per_page",
    );
    for (const { id, body, system, author, position } of read(z.array(Note), comments))
      if (!system && body.trim() !== "" && (await isTrusted(author.id)))
        notes.push({
          id: `note:${id}`,
          author: author.username,
          text: body,
          path: position?.new_path ?? null,
          line: position?.new_line ?? null,
          url: `${request.web_url}#note_${id}`,
          asksForChanges: false,
        });
    const isMerged = request.state === "merged";
    return {
      number,
      url: request.web_url,
      state: isMerged ? "merged" : request.state === "closed" ? "closed" : "open",
      head: request.sha,
      mergeCommit: isMerged ? (request.merge_commit_sha ?? request.squash_commit_sha ?? request.sha) : null,
      checks: await together(await pipelineChecks(api, repo, request)),
      notes,
    };
  },
};
