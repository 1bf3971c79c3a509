import { z } from "zod";
import { id, Timestamp } from "../endpoint/values.ts";

export const DocumentSummaryShape = z.object({
  id,
  companyId: id,
  issueId: id,
  key: z.string(),
  title: z.string().nullable(),
  format: z.string(),
  latestRevisionId: id.describe("The baseRevisionId of the next PUT."),
  latestRevisionNumber: z.number(),
  createdByAgentId: id.nullable(),
  createdByUserId: id.nullable(),
  updatedByAgentId: id.nullable(),
  updatedByUserId: id.nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

export const DocumentShape = DocumentSummaryShape.extend({ body: z.string() });

export const DocumentRevisionShape = z.object({
  id,
  companyId: id,
  documentId: id,
  issueId: id,
  key: z.string(),
  revisionNumber: z.number(),
  title: z.string().nullable(),
  format: z.string(),
  body: z.string(),
  changeSummary: z.string().nullable(),
  restoredFromRevisionId: id.nullable(),
  createdByAgentId: id.nullable(),
  createdByUserId: id.nullable(),
  createdAt: Timestamp,
});
