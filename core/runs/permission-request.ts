import type { PermissionAnswer, PermissionRequest } from "../../ports/agent-adapter.ts";
import type { AdapterConfig } from "../model/agents/agent-config.ts";
import type { RequestPermission } from "../model/issues/interactions/payload.ts";
import { visibleText } from "../model/shared/visible-text.ts";

/** The question to people, or why they cannot decide about it: a sentence for the program. */
export type Presented =
  | { readonly title: string; readonly payload: Omit<RequestPermission, "version" | "expiresAt"> }
  | { readonly refusal: string };

/** Bounds of the questions of a run: a thousand questions are none. */
export const maxOpenPermissions = 8;
export const maxPermissionsOfRun = 100;

/** Seconds that people have for an answer, by `permissionWaitSec` of an agent. */
export const permissionWaitOf = ({ permissionWaitSec }: AdapterConfig): number =>
  typeof permissionWaitSec === "number" && permissionWaitSec > 0
    ? Math.min(permissionWaitSec, maxWaitSec)
    : defaultWaitSec;

const defaultWaitSec = 600;
/** A day: a run that waits takes a slot. */
const maxWaitSec = 24 * 60 * 60;
export const notAllowed = (message: string): PermissionAnswer => ({ allow: false, message });

const maxTitle = 240;
const maxTool = 200;
const maxReason = 2_000;
const maxCommand = 16_000;
const maxPath = 4_096;
const maxDiff = 40_000;

/**
 * Presents a request to people. What they decide about is shown whole or not at all: an end that is cut off could be the
 * dangerous part. Only a long change of a file is cut, which says so. `request` has its secrets masked, `given` is as it was asked.
 */
export const presented = (request: PermissionRequest, given: PermissionRequest = request): Presented => {
  const { tool, title, command, path, diff, reason } = request;
  if ((command?.length ?? 0) > maxCommand)
    return { refusal: `The command is too long to review (more than ${maxCommand} characters).` };
  if ((path?.length ?? 0) > maxPath)
    return { refusal: `The path is too long to review (more than ${maxPath} characters).` };
  const shown = {
    tool: cut(oneLine(visibleText(tool)), maxTool),
    command: visibleText(command ?? "") || null,
    path: oneLine(visibleText(path ?? "")) || null,
  };
  return {
    title:
      cut(oneLine(visibleText(title)), maxTitle) || cut(oneLine(visibleText(tool)), maxTitle) || "A tool",
    payload: {
      ...shown,
      repeatable:
        shown.tool === given.tool &&
        shown.command === (given.command ?? null) &&
        shown.path === (given.path ?? null),
      diff: cutDiff(visibleText(diff ?? "")) || null,
      reason: cut(visibleText(reason ?? ""), maxReason) || null,
    },
  };
};

const cut = (text: string, max: number): string => (text.length <= max ? text : `${text.slice(0, max - 1)}…`);

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

const cutDiff = (diff: string): string => {
  if (diff.length <= maxDiff) return diff;
  const end = diff.lastIndexOf("\n", maxDiff);
  const shown = diff.slice(0, end === -1 ? maxDiff : end);
  const omitted = diff.length - shown.length;
  return `${shown}\n… ${omitted} more characters of the change are not shown.`;
};
