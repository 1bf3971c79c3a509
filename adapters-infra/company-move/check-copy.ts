import * as Result from "effect/Result";
import type { z } from "zod";
import { cleanContentType, maxFilenameLength } from "../../core/model/assets/asset.ts";
import { checkedMcpServer } from "../../core/model/mcp-servers/mcp-server.ts";
import {
  isAuthorEmailPattern,
  isAuthorNamePattern,
  isBranchPattern,
} from "../../core/model/repositories/authorship.ts";
import type { IssueBranch } from "../../core/model/repositories/issue-branch.ts";
import {
  checkedDirectory,
  checkedFolders,
  checkedUrl,
  isBranchName,
  type Repository,
} from "../../core/model/repositories/repository.ts";
import { explainExcess, requestBounds } from "../../core/model/shared/json-bounds.ts";
import { CompanyRefused } from "../postgres/company-move/company-refused.ts";
import type { CopiedCompany } from "../postgres/company-move/copied-company.ts";
import { checkFields, type RowShapes } from "./check-fields.ts";

/**
 * The shapes of the published interface. The composition passes them in: an adapter knows no host, and an import has to
 * refuse exactly what the interface refuses.
 */
export interface AcceptedShapes {
  readonly rows: RowShapes;
  readonly agent: z.ZodType;
  readonly runner: z.ZodType;
  readonly mcpServer: z.ZodType;
}

/** Refuses what the interface would refuse of addresses, paths and settings: programs read them. */
export const checkCopy = async (copy: CopiedCompany, shapes: AcceptedShapes): Promise<void> => {
  await checkFields(copy.sql, copy.id, shapes.rows);
  for (const agent of await copy.agents())
    if (!shapes.agent.safeParse(agent).success) throw refused("an agent with settings");
  if (!shapes.runner.safeParse(await copy.runner()).success) throw refused("a runner");
  for (const { value } of await copy.freeForms())
    if (explainExcess(value, requestBounds) !== null) throw refused("a request to people");
  for (const server of await copy.mcpServers())
    if (!shapes.mcpServer.safeParse(server).success || Result.isFailure(checkedMcpServer(server)))
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
