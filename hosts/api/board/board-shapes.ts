import { z } from "zod";
import { roles } from "../../../core/model/access/roles.ts";
import { id, Timestamp, when } from "../endpoint/values.ts";

export const BoardUserShape = z.object({
  id,
  name: z.string(),
  admin: z.boolean(),
  createdAt: Timestamp,
  disabledAt: when,
});

export const BoardTokenShape = z.object({
  id,
  userId: id,
  name: z.string(),
  createdAt: Timestamp,
  expiresAt: when,
  lastUsedAt: when,
  revokedAt: when,
});

export const NewBoardTokenShape = z.object({
  id,
  userId: id,
  name: z.string(),
  createdAt: Timestamp,
  expiresAt: when,
  token: z.string().describe("Shown only in this answer."),
});

export const PersonShape = z.object({ userId: id, name: z.string() });

export const MemberShape = z.object({ companyId: id, userId: id, name: z.string(), role: z.enum(roles) });

export const SavedViewShape = z.object({
  id,
  companyId: id,
  userId: id,
  name: z.string(),
  query: z.string().describe("The query of the list's address on the board page."),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

export const LinkShape = z.object({
  url: z.string().describe("Shown only in this answer. It signs in the first browser that opens it, once."),
  expiresAt: Timestamp,
});

export const InvitedMemberShape = LinkShape.extend({
  id: id.describe("Of the board user."),
  name: z.string(),
  role: z.enum(roles),
});
