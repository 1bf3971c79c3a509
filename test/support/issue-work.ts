import { execFile } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { ApiService } from "./api-service.ts";
import { commitFiles, type GitHost, git, gitEnv } from "./git-host.ts";

/** An issue of a project, which an agent has, and on which it can leave work. */
export interface IssueAtWork {
  readonly id: string;
  readonly identifier: string;
  readonly agentId: string;
  readonly runId: string;
  /**
   * Commits files on top of its work, or of the host's branch at first, pushes them with the token of its run, and notes
   * them as the run's end does. Returns the commit.
   */
  leave(files: Readonly<Record<string, string | null>>, message?: string): Promise<string>;
}

interface AskedWork {
  readonly companyId: string;
  readonly projectId: string;
  readonly repositoryId: string;
  readonly defaultBranch: string;
  /** The commit that it begins from; default: the head of the default branch. */
  readonly from?: string;
  readonly agentId?: string;
  readonly fields?: object;
}

/** Gives an agent an issue whose work is kept in a repository. */
export const issueAtWork = async (api: ApiService, host: GitHost, asked: AskedWork): Promise<IssueAtWork> => {
  const { companyId, projectId, repositoryId, defaultBranch } = asked;
  const agentId = asked.agentId ?? (await api.agent(companyId)).id;
  const issue = await api.issue(companyId, { projectId, assigneeAgentId: agentId, ...asked.fields });
  const work = await api.atWork(agentId, issue.id);
  const folder = mkdtempSync(join(host.folder, "clone-"));
  const headers = [`Authorization: Bearer ${work.token}`, `X-Service-Run-Id: ${work.runId}`];
  const env = {
    ...gitEnv,
    GIT_CONFIG_COUNT: "3",
    ...Object.fromEntries(
      headers.flatMap((header, n) => [
        [`GIT_CONFIG_KEY_${n + 1}`, "http.extraHeader"],
        [`GIT_CONFIG_VALUE_${n + 1}`, header],
      ]),
    ),
  };
  // This process is the service, too: git of the agent must not block it.
  const gitOfRun = (args: readonly string[]) => promisify(execFile)("git", args, { cwd: folder, env });
  const store = `${api.url}/git/${repositoryId}`;
  await gitOfRun(["clone", "-q", "-b", defaultBranch, `${store}/shared`, "."]);
  if (asked.from !== undefined) {
    await gitOfRun(["fetch", "-q", `${store}/shared`, asked.from]);
    git(folder, ["reset", "-q", "--hard", asked.from]);
  }
  const base = git(folder, ["rev-parse", "HEAD"]);
  const branch = `boardroom/${issue.identifier}`;
  return {
    id: issue.id,
    identifier: issue.identifier,
    agentId,
    runId: work.runId,
    leave: async (files, message = "work of the agent") => {
      const commit = commitFiles(folder, files, message);
      const own = `refs/boardroom/runs/${work.runId}`;
      const refs = [`refs/heads/${branch}`, `${own}/head`, `${own}/tree`];
      await gitOfRun(["push", "-q", "--force", `${store}/kept`, ...refs.map((ref) => `HEAD:${ref}`)]);
      await api.sql`
        insert into issue_branches (
          issue_id, repository_id, company_id, branch, base_branch, base_commit, head, captured_run_id, created_at, updated_at
        )
        values (
          ${issue.id}, ${repositoryId}, ${companyId}, ${branch}, ${defaultBranch}, ${base}, ${commit}, ${work.runId}, now(), now()
        )
        on conflict (issue_id, repository_id) do update set head = ${commit}, captured_run_id = ${work.runId}
      `;
      return commit;
    },
  };
};
