import type { AgentStatus } from "../../../core/model/agents/agent-status.ts";
import { displayOf } from "./status.tsx";

/** The first letters of the first and the last word. */
const initialsOf = (name: string): string => {
  const words = name
    .trim()
    .split(/[\s_-]+/)
    .filter(Boolean);
  const [first = "?"] = words;
  const last = words.length > 1 ? words.at(-1)! : "";
  return ([...first][0]! + ([...last][0] ?? [...first][1] ?? "")).toUpperCase();
};

interface AvatarProps {
  readonly kind: "person" | "agent" | "system";
  readonly name: string;
  readonly status?: AgentStatus | undefined;
  readonly size?: "small" | "large";
}

/** People are round, agents are square with a dot of their status. The name stands next to it, or is in its hover. */
export const Avatar = ({ kind, name, status, size = "small" }: AvatarProps) => (
  <span className={`avatar avatar-${kind} avatar-${size}`} aria-hidden="true" title={name}>
    {kind === "system" ? "·" : initialsOf(name)}
    {status === undefined ? null : <span className={`avatar-dot ${displayOf("agent", status).tone}`} />}
  </span>
);

/** An avatar with its name. */
export const Actor = (props: AvatarProps) => (
  <span className="row actor">
    <Avatar {...props} />
    <span className="cut">{props.name}</span>
  </span>
);
