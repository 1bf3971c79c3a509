import { type ApiService, startApi } from "./api-service.ts";
import { type GitHost, startGitHost } from "./git-host.ts";

/** A service, a git host, and a company with the host's credential. */
export interface HostedApi {
  readonly api: ApiService;
  readonly host: GitHost;
  readonly companyId: string;
  /** A project with a repository whose default branch no other one has; `text` is in its file a.txt. */
  repository(text?: string): Promise<HostedRepository>;
  stop(): Promise<void>;
}

export interface HostedRepository {
  readonly companyId: string;
  readonly projectId: string;
  readonly repositoryId: string;
  readonly defaultBranch: string;
  /** The commit at the host. */
  readonly first: string;
}

export const startHostedApi = async (): Promise<HostedApi> => {
  const [api, host] = await Promise.all([startApi({ env: { SERVICE_SANDBOX: "auto" } }), startGitHost()]);
  const { id: companyId } = await api.company();
  const secret = { name: "host", value: host.token };
  const { id: credentialSecretId } = await api.make(`/api/companies/${companyId}/secrets`, secret);
  let branches = 0;
  return {
    api,
    host,
    companyId,
    repository: async (text = "one\n") => {
      const defaultBranch = `main-${branches++}`;
      // The branch is in the file, so that no two begin with the same commit.
      const first = host.commit({ "a.txt": `${text}${defaultBranch}\n` }, defaultBranch);
      const { id: projectId } = await api.make(`/api/companies/${companyId}/projects`, {
        name: defaultBranch,
      });
      const { id: repositoryId } = await api.make(`/api/projects/${projectId}/repositories`, {
        url: host.url,
        credentialSecretId,
        allowPrivateHost: true,
        defaultBranch,
      });
      return { companyId, projectId, repositoryId, defaultBranch, first };
    },
    stop: async () => {
      host.close();
      await api.stop();
    },
  };
};
