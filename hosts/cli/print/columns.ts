import type { z } from "zod";
import { AdapterShape } from "../../api/adapters.ts";
import { AgentConfigRevisionShape, AgentKeyShape, AgentShape } from "../../api/agent-shapes.ts";
import { BoardTokenShape, BoardUserShape, MemberShape } from "../../api/board-shapes.ts";
import { ActivityShape, CompanyShape, GoalShape, ProjectShape } from "../../api/company-shapes.ts";
import { IssueShape } from "../../api/issue-shapes.ts";
import { RunEventShape, RunShape } from "../../api/run-shapes.ts";
import {
  AttachmentShape,
  DocumentRevisionShape,
  DocumentShape,
  InteractionShape,
  IssueHitShape,
} from "../../api/thread-shapes.ts";
import { brief, budget, type Paper, shortId, someone, status, strong, urgency, when } from "./cells.ts";
import type { Cell, Heading } from "./table.ts";
import { ago, span } from "./words.ts";

/** A column of a list whose rows have a known shape. */
export interface Column<R> extends Heading {
  readonly show: (row: R, paper: Paper) => string | Cell;
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
  grows: 8,
  goes: 1,
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
  { title: "SPENT", show: budget, goes: 1 },
  itsId,
);
columns(
  AdapterShape,
  { title: "TYPE", show: ({ type }, paper) => strong(type ?? "?", paper) },
  { title: "LABEL", show: ({ label, type }) => (label === type ? "" : label), grows: true, goes: 1 },
  { title: "STATUS", show: (row, paper) => status(row.status, paper) },
  {
    title: "FROM",
    show: ({ source, packageName, localPath }) => packageName ?? localPath ?? source ?? "",
    grows: true,
  },
  { title: "VERSION", show: ({ version }) => version ?? "" },
  { title: "TROUBLE", show: ({ error, warnings }) => error ?? warnings.join(" "), grows: true },
);
columns(
  AgentShape,
  { title: "NAME", show: ({ name }, paper) => strong(name, paper), grows: true },
  { title: "KEY", show: ({ urlKey }) => urlKey },
  { title: "STATUS", show: (row, paper) => status(row.status, paper) },
  { title: "ROLE", show: ({ role }) => role, grows: true, goes: 2 },
  { title: "ADAPTER", show: ({ adapterType }) => adapterType, goes: 3 },
  { title: "REPORTS TO", show: ({ reportsTo }, paper) => someone(reportsTo, paper), goes: 1 },
  { title: "LAST RUN", show: when("lastHeartbeatAt") },
  { title: "SPENT", show: budget, goes: 4 },
);
columns(
  IssueShape,
  { title: "ISSUE", show: ({ identifier }, paper) => strong(identifier, paper) },
  { title: "TITLE", show: ({ title }) => title, grows: true },
  { title: "STATUS", show: (row, paper) => status(row.status, paper) },
  { title: "PRIORITY", show: ({ priority }, paper) => urgency(priority, paper) },
  { title: "ASSIGNEE", show: ({ assigneeAgentId }, paper) => someone(assigneeAgentId, paper), grows: 8 },
  { title: "ACTIVITY", show: when("lastActivityAt") },
);
columns(
  IssueHitShape,
  { title: "ISSUE", show: ({ identifier }, paper) => strong(identifier, paper) },
  { title: "TITLE", show: ({ title }) => title, grows: true },
  { title: "STATUS", show: (row, paper) => status(row.status, paper) },
  { title: "IN", show: ({ matchedIn }) => matchedIn },
  { title: "EXCERPT", show: ({ excerpt }) => excerpt, grows: true },
);
columns(
  InteractionShape,
  { title: "KIND", show: ({ kind }) => kind, grows: true },
  { title: "STATUS", show: (row, paper) => status(row.status, paper) },
  { title: "ASKS", show: (card) => card.title ?? card.summary ?? asked(card.payload), grows: true },
  maker,
  { title: "CREATED", show: when("createdAt"), goes: 2 },
  itsId,
);
columns(
  DocumentShape,
  { title: "KEY", show: ({ key }, paper) => strong(key, paper) },
  { title: "TITLE", show: ({ title }) => title ?? "", grows: true },
  { title: "REVISION", show: ({ latestRevisionNumber }) => String(latestRevisionNumber) },
  { title: "UPDATED", show: when("updatedAt"), goes: 1 },
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
  { title: "TYPE", show: ({ contentType }) => contentType, grows: true, goes: 2 },
  { title: "BYTES", show: ({ byteSize }) => String(byteSize) },
  maker,
  { title: "CREATED", show: when("createdAt"), goes: 3 },
  itsId,
);
columns(
  RunShape,
  { title: "RUN", show: ({ id }) => id },
  { title: "AGENT", show: ({ agentName }) => agentName, grows: 8 },
  { title: "ISSUE", show: ({ issueIdentifier }) => issueIdentifier ?? "–" },
  { title: "STATUS", show: (row, paper) => status(row.status, paper) },
  { title: "WOKEN BY", show: ({ wakeReason }) => wakeReason, goes: 1 },
  { title: "STARTED", show: (row, { now }) => ago(row.startedAt ?? row.createdAt, now()), goes: 4 },
  {
    title: "TOOK",
    show: ({ startedAt, finishedAt }) =>
      startedAt === null || finishedAt === null ? "–" : span(Date.parse(finishedAt) - Date.parse(startedAt)),
    goes: 3,
  },
  { title: "ERROR", show: ({ error }) => error ?? "", grows: true, goes: 2 },
);
columns(
  ProjectShape,
  { title: "PROJECT", show: ({ name }, paper) => strong(name, paper), grows: true },
  { title: "STATUS", show: (row, paper) => status(row.status, paper) },
  { title: "LEAD", show: ({ leadAgentId }, paper) => someone(leadAgentId, paper), grows: 8, goes: 2 },
  { title: "TARGET", show: ({ targetDate }) => targetDate ?? "–", goes: 1 },
  itsId,
);
columns(
  GoalShape,
  { title: "GOAL", show: ({ title }, paper) => strong(title, paper), grows: true },
  { title: "LEVEL", show: ({ level }) => level },
  { title: "STATUS", show: (row, paper) => status(row.status, paper) },
  { title: "OWNER", show: ({ ownerAgentId }, paper) => someone(ownerAgentId, paper), grows: 8, goes: 1 },
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
/** What people call a thing whose name in the interface is longer. */
const spokenOf: Readonly<Record<string, string>> = { heartbeat_run: "run", secret_provider_config: "vault" };

columns(
  ActivityShape,
  { title: "WHEN", show: when("createdAt") },
  {
    title: "WHO",
    show: ({ actorType, actorId }, paper) => (actorId === null ? actorType : someone(actorId, paper)),
    grows: 8,
  },
  { title: "WHAT", show: ({ action }) => action, grows: 24 },
  {
    title: "ABOUT",
    show: ({ entityType, entityId, details }) =>
      typeof details.identifier === "string"
        ? details.identifier
        : `${spokenOf[entityType] ?? entityType} ${shortId(entityId)}`,
  },
  { title: "DETAILS", show: ({ details }, paper) => brief(details, paper), grows: true, goes: 1 },
);
columns(
  AgentKeyShape,
  { title: "KEY", show: ({ name }, paper) => strong(name, paper), grows: true },
  { title: "MADE", show: when("createdAt"), goes: 1 },
  { title: "LAST USED", show: when("lastUsedAt") },
  { title: "REVOKED", show: when("revokedAt") },
  itsId,
);
columns(
  BoardTokenShape,
  { title: "TOKEN", show: ({ name }, paper) => strong(name, paper), grows: true },
  { title: "MADE", show: when("createdAt"), goes: 1 },
  { title: "LAST USED", show: when("lastUsedAt"), goes: 2 },
  { title: "EXPIRES", show: when("expiresAt") },
  { title: "REVOKED", show: when("revokedAt") },
  itsId,
);
columns(
  BoardUserShape,
  { title: "USER", show: ({ name }, paper) => strong(name, paper), grows: true },
  { title: "ADMIN", show: ({ admin }) => (admin ? "yes" : "–") },
  { title: "MADE", show: when("createdAt"), goes: 1 },
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
  { title: "HOW", show: ({ source }) => source, goes: 2 },
  { title: "CHANGED", show: ({ changedKeys }) => changedKeys.join(", "), grows: true },
  { title: "WHEN", show: when("createdAt") },
);
