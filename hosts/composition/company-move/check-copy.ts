import * as Result from "effect/Result";
import { z } from "zod";
import { CompanyRefused } from "../../../adapters-infra/postgres/company-move/company-refused.ts";
import type { CopiedCompany } from "../../../adapters-infra/postgres/company-move/copied-company.ts";
import { cleanContentType, maxFilenameLength } from "../../../core/model/assets/asset.ts";
import { checkedMcpServer } from "../../../core/model/mcp-servers/mcp-server.ts";
import {
  isAuthorEmailPattern,
  isAuthorNamePattern,
  isBranchPattern,
} from "../../../core/model/repositories/authorship.ts";
import type { IssueBranch } from "../../../core/model/repositories/issue-branch.ts";
import {
  checkedDirectory,
  checkedFolders,
  checkedUrl,
  isBranchName,
  type Repository,
} from "../../../core/model/repositories/repository.ts";
import { explainExcess, requestBounds } from "../../../core/model/shared/json-bounds.ts";
import { AgentShape } from "../../api/agents/agent-shapes.ts";
import { hireFields } from "../../api/approvals/approval-payloads.ts";
import { pathParams } from "../../api/endpoint/params.ts";
import { FreeObject } from "../../api/endpoint/values.ts";
import { McpServerShape } from "../../api/mcp-servers/mcp-server-shapes.ts";
import { checkFields } from "./check-fields.ts";

const { name, role, title, capabilities } = hireFields;
/** The fields of an agent as the interface takes them, in the form in which they are stored. */
const ImportedAgent = z.object({
  name,
  role: role.unwrap(),
  title: title.unwrap(),
  capabilities: capabilities.unwrap(),
  adapterType: pathParams.adapterType.schema,
  adapterConfig: FreeObject,
  runtimeConfig: AgentShape.shape.runtimeConfig.extend({ runner: pathParams.runnerName.schema.optional() }),
  metadata: FreeObject.nullable(),
  urlKey: z
    .string()
    .max(500)
    .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/),
});
const Runner = pathParams.runnerName.schema.nullable();
const ServerSettings = McpServerShape.pick({ args: true, headers: true, env: true, tools: true });

/** Refuses what the interface would refuse of addresses, paths and settings: programs read them. */
export const checkCopy = async (copy: CopiedCompany): Promise<void> => {
  await checkFields(copy.sql, copy.id);
  for (const agent of await copy.agents())
    if (!ImportedAgent.safeParse(agent).success) throw refused("an agent with settings");
  if (!Runner.safeParse(await copy.runner()).success) throw refused("a runner");
  for (const { value } of await copy.freeForms())
    if (explainExcess(value, requestBounds) !== null) throw refused("a request to people");
  for (const server of await copy.mcpServers())
    if (!ServerSettings.safeParse(server).success || Result.isFailure(checkedMcpServer(server)))
      throw refused("an MCP server with settings");
  for (const repository of await copy.repositories())
    if (!isUsable(repository)) throw refused("a repository with an address, a branch or a folder");
  const branches = await copy.branches();
  if (!branches.every(isNamed) || (await copy.wrongCommits()).length > 0)
    throw refused("the work of an issue with a branch or a commit");
  for (const { contentType, filename } of await copy.fileNames())
    if (cleanContentType(contentType) !== contentType || (filename ?? "").length > maxFilenameLength)
      throw refused("a file with a type or a name");
  if (await copy.hasWrongBytes()) throw refused("a file with other bytes than its record says");
};

const refused = (what: string) => new CompanyRefused(`The file has ${what} that no company can have.`);

const isUsable = (repository: Repository): boolean => {
  const { url, hostApiUrl, defaultBranch, directory, sparseFolders } = repository;
  const { authorName, authorEmail, branchPattern } = repository;
  return (
    [url, hostApiUrl].every((each) => each === null || Result.getOrNull(checkedUrl(each)) === each) &&
    isBranchName(defaultBranch) &&
    (sparseFolders === null || Result.isSuccess(checkedFolders(sparseFolders))) &&
    (directory === null || Result.getOrNull(checkedDirectory(directory)) === directory) &&
    (authorName === null || isAuthorNamePattern(authorName)) &&
    (authorEmail === null || isAuthorEmailPattern(authorEmail)) &&
    (branchPattern === null || isBranchPattern(branchPattern))
  );
};

const ownBranch = /^boardroom\/[A-Z]{1,30}-[1-9][0-9]{0,8}$/;
const isNamed = ({ branch, baseBranch }: IssueBranch): boolean =>
  ownBranch.test(branch) && (ownBranch.test(baseBranch) || isBranchName(baseBranch));
