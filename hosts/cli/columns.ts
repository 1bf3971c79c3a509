import type { z } from "zod";
import { AdapterShape } from "../api/adapters.ts";
import { AgentConfigRevisionShape, AgentKeyShape, AgentShape } from "../api/agent-shapes.ts";
import { BoardTokenShape, BoardUserShape, MemberShape } from "../api/board-shapes.ts";
import { ActivityShape, CompanyShape, GoalShape, ProjectShape } from "../api/company-shapes.ts";
import { IssueShape } from "../api/issue-shapes.ts";
import { RunEventShape, RunShape } from "../api/run-shapes.ts";
import {
  AttachmentShape,
  DocumentRevisionShape,
  DocumentShape,
  InteractionShape,
  IssueHitShape,
} from "../api/thread-shapes.ts";
import { brief, budget, type Paper, shortId, someone, status, strong, urgency, when } from "./cells.ts";
import type { Cell } from "./table.ts";
import { ago, span } from "./words.ts";

/** A column of a list whose rows have a known shape. */
export interface Column<R> {
  readonly title: string;
  readonly show: (row: R, paper: Paper) => string | Cell;
  readonly grows?: true;
}

/** What of a list is shown, by the shape of its rows. */
export const columnsOf = new Map<z.ZodType, readonly Column<never>[]>();

/** Chooses what is shown of rows of that shape. */
export const columns = <S extends z.ZodType>(shape: S, ...all: Column<z.output<S>>[]): void => {
  columnsOf.set(shape, all as readonly Column<never>[]);
};

const itsId: Column<{ readonly id: string }> = { title: "ID", show: ({ id }) => id };

const maker: Column<{ readonly createdByAgentId: string | null; readonly createdByUserId: string | null }> = {
  title: "BY",
  show: ({ createdByAgentId, createdByUserId }, paper) => someone(createdByAgentId ?? createdByUserId, paper),
};

/** What a card without a title asks, in its own first words. */
const asked = (payload: Readonly<Record<string, unknown>>): string => {
  const listed = (name: string, field: string): string =>
    ((payload[name] ?? []) as readonly Readonly<Record<string, string>>[])
      .map((each) => each[field])
      .join("; ");
  return String(payload.prompt ?? (listed("questions", "prompt") || listed("tasks", "title")));
};

columns(
  CompanyShape,
  { title: "NAME", show: ({ name }, paper) => strong(name, paper), grows: true },
  { title: "PREFIX", show: ({ issuePrefix }) => issuePrefix },
  { title: "STATUS", show: (row, paper) => status(row.status, paper) },
  { title: "SPENT", show: budget },
  itsId,
);
columns(
  AdapterShape,
  { title: "TYPE", show: ({ type }, paper) => strong(type ?? "?", paper) },
  { title: "LABEL", show: ({ label, type }) => (label === type ? "" : label) },
  { title: "STATUS", show: (row, paper) => status(row.status, paper) },
  { title: "FROM", show: ({ source, packageName, localPath }) => packageName ?? localPath ?? source ?? "" },
  { title: "VERSION", show: ({ version }) => version ?? "" },
  { title: "TROUBLE", show: ({ error, warnings }) => error ?? warnings.join(" "), grows: true },
);
columns(
  AgentShape,
  { title: "NAME", show: ({ name }, paper) => strong(name, paper), grows: true },
  { title: "KEY", show: ({ urlKey }) => urlKey },
  { title: "STATUS", show: (row, paper) => status(row.status, paper) },
  { title: "ROLE", show: ({ role }) => role },
  { title: "ADAPTER", show: ({ adapterType }) => adapterType },
  { title: "REPORTS TO", show: ({ reportsTo }, paper) => someone(reportsTo, paper) },
  { title: "LAST RUN", show: when("lastHeartbeatAt") },
  { title: "SPENT", show: budget },
);
columns(
  IssueShape,
  { title: "ISSUE", show: ({ identifier }, paper) => strong(identifier, paper) },
  { title: "TITLE", show: ({ title }) => title, grows: true },
  { title: "STATUS", show: (row, paper) => status(row.status, paper) },
  { title: "PRIORITY", show: ({ priority }, paper) => urgency(priority, paper) },
  { title: "ASSIGNEE", show: ({ assigneeAgentId }, paper) => someone(assigneeAgentId, paper) },
  { title: "ACTIVITY", show: when("lastActivityAt") },
);
columns(
  IssueHitShape,
  { title: "ISSUE", show: ({ identifier }, paper) => strong(identifier, paper) },
  { title: "TITLE", show: ({ title }) => title },
  { title: "STATUS", show: (row, paper) => status(row.status, paper) },
  { title: "IN", show: ({ matchedIn }) => matchedIn },
  { title: "EXCERPT", show: ({ excerpt }) => excerpt, grows: true },
);
columns(
  InteractionShape,
  { title: "KIND", show: ({ kind }) => kind },
  { title: "STATUS", show: (row, paper) => status(row.status, paper) },
  { title: "ASKS", show: (card) => card.title ?? card.summary ?? asked(card.payload), grows: true },
  maker,
  { title: "CREATED", show: when("createdAt") },
  itsId,
);
columns(
  DocumentShape,
  { title: "KEY", show: ({ key }, paper) => strong(key, paper) },
  { title: "TITLE", show: ({ title }) => title ?? "", grows: true },
  { title: "REVISION", show: ({ latestRevisionNumber }) => String(latestRevisionNumber) },
  { title: "UPDATED", show: when("updatedAt") },
  { title: "REVISION ID", show: ({ latestRevisionId }) => latestRevisionId },
);
columns(
  DocumentRevisionShape,
  { title: "REVISION", show: ({ revisionNumber }) => String(revisionNumber) },
  { title: "SUMMARY", show: ({ changeSummary, title }) => changeSummary ?? title ?? "", grows: true },
  maker,
  { title: "CREATED", show: when("createdAt") },
  itsId,
);
columns(
  AttachmentShape,
  {
    title: "FILE",
    show: ({ originalFilename }, paper) => strong(originalFilename ?? "–", paper),
    grows: true,
  },
  { title: "TYPE", show: ({ contentType }) => contentType },
  { title: "BYTES", show: ({ byteSize }) => String(byteSize) },
  maker,
  { title: "CREATED", show: when("createdAt") },
  itsId,
);
columns(
  RunShape,
  { title: "RUN", show: ({ id }) => id },
  { title: "AGENT", show: ({ agentName }) => agentName },
  { title: "ISSUE", show: ({ issueIdentifier }) => issueIdentifier ?? "–" },
  { title: "STATUS", show: (row, paper) => status(row.status, paper) },
  { title: "WOKEN BY", show: ({ wakeReason }) => wakeReason },
  { title: "STARTED", show: (row, { now }) => ago(row.startedAt ?? row.createdAt, now()) },
  {
    title: "TOOK",
    show: ({ startedAt, finishedAt }) =>
      startedAt === null || finishedAt === null ? "–" : span(Date.parse(finishedAt) - Date.parse(startedAt)),
  },
  { title: "ERROR", show: ({ error }) => error ?? "", grows: true },
);
columns(
  ProjectShape,
  { title: "PROJECT", show: ({ name }, paper) => strong(name, paper), grows: true },
  { title: "STATUS", show: (row, paper) => status(row.status, paper) },
  { title: "LEAD", show: ({ leadAgentId }, paper) => someone(leadAgentId, paper) },
  { title: "TARGET", show: ({ targetDate }) => targetDate ?? "–" },
  itsId,
);
columns(
  GoalShape,
  { title: "GOAL", show: ({ title }, paper) => strong(title, paper), grows: true },
  { title: "LEVEL", show: ({ level }) => level },
  { title: "STATUS", show: (row, paper) => status(row.status, paper) },
  { title: "OWNER", show: ({ ownerAgentId }, paper) => someone(ownerAgentId, paper) },
  itsId,
);
columns(
  RunEventShape,
  { title: "SEQ", show: ({ seq }) => String(seq) },
  { title: "AT", show: ({ createdAt }) => createdAt.slice(11, 23) },
  {
    title: "LEVEL",
    show: ({ level }, { colors }) => ({
      text: level,
      paint: level === "error" ? colors.red : level === "warn" ? colors.yellow : undefined,
    }),
  },
  { title: "TYPE", show: ({ type }) => type },
  { title: "MESSAGE", show: ({ message }) => message ?? "", grows: true },
);
columns(
  ActivityShape,
  { title: "WHEN", show: when("createdAt") },
  {
    title: "WHO",
    show: ({ actorType, actorId }, paper) => (actorId === null ? actorType : someone(actorId, paper)),
  },
  { title: "WHAT", show: ({ action }) => action },
  {
    title: "ABOUT",
    show: ({ entityType, entityId, details }) =>
      typeof details.identifier === "string" ? details.identifier : `${entityType} ${shortId(entityId)}`,
  },
  { title: "DETAILS", show: ({ details }, paper) => brief(details, paper), grows: true },
);
columns(
  AgentKeyShape,
  { title: "KEY", show: ({ name }, paper) => strong(name, paper), grows: true },
  { title: "MADE", show: when("createdAt") },
  { title: "LAST USED", show: when("lastUsedAt") },
  { title: "REVOKED", show: when("revokedAt") },
  itsId,
);
columns(
  BoardTokenShape,
  { title: "TOKEN", show: ({ name }, paper) => strong(name, paper), grows: true },
  { title: "MADE", show: when("createdAt") },
  { title: "LAST USED", show: when("lastUsedAt") },
  { title: "EXPIRES", show: when("expiresAt") },
  { title: "REVOKED", show: when("revokedAt") },
  itsId,
);
columns(
  BoardUserShape,
  { title: "USER", show: ({ name }, paper) => strong(name, paper), grows: true },
  { title: "ADMIN", show: ({ admin }) => (admin ? "yes" : "–") },
  { title: "MADE", show: when("createdAt") },
  { title: "DISABLED", show: when("disabledAt") },
  itsId,
);
columns(
  MemberShape,
  { title: "MEMBER", show: ({ name }, paper) => strong(name, paper), grows: true },
  { title: "ROLE", show: ({ role }) => role },
  { title: "USER ID", show: ({ userId }) => userId },
);
columns(
  AgentConfigRevisionShape,
  { title: "REVISION", show: ({ id }) => id },
  maker,
  { title: "HOW", show: ({ source }) => source },
  { title: "CHANGED", show: ({ changedKeys }) => changedKeys.join(", "), grows: true },
  { title: "WHEN", show: when("createdAt") },
);
