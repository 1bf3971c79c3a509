import { z } from "zod";
import { id, Timestamp } from "../endpoint/values.ts";

const fileFields = {
  companyId: id,
  provider: z.string().describe("Where the bytes are: local_disk or s3."),
  objectKey: z.string(),
  contentType: z.string(),
  byteSize: z.number(),
  sha256: z.string().describe("Lower-case hex."),
  originalFilename: z.string().nullable(),
  createdByAgentId: id.nullable(),
  createdByUserId: id.nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  contentPath: z.string(),
};

export const AssetShape = z.object({ assetId: id, ...fileFields });

export const AttachmentShape = z.object({
  id,
  issueId: id,
  issueCommentId: id.nullable(),
  originatingRunId: id.nullable(),
  assetId: id,
  ...fileFields,
  openPath: z.string(),
  downloadPath: z.string(),
});
