import { expirySentences } from "../../../../core/model/issues/interactions/expiry-sentences.ts";
import type { InteractionContent as Asked } from "../../../../core/model/issues/interactions/payload.ts";
import { visibleRecord, visibleText } from "../../../../core/model/shared/visible-text.ts";
import type { Interaction } from "../../live/records.ts";
import { Time } from "../../widgets/time.tsx";
import { Actor } from "../avatar.tsx";
import { useNames } from "../names.ts";
import { Status } from "../status.tsx";
import { Confirmation } from "./confirmation.tsx";
import { PermissionQuestion } from "./permission-question.tsx";
import { Questions } from "./questions.tsx";
import { SuggestedTasks } from "./suggested-tasks.tsx";

const titles: Readonly<Record<Interaction["kind"], string>> = {
  suggest_tasks: "Suggested tasks",
  ask_user_questions: "Questions",
  request_confirmation: "Confirmation",
  request_permission: "Permission",
};

export const interactionTitle = ({ title, kind }: Interaction): string =>
  title === null ? titles[kind] : visibleText(title);

interface ShownInteractionProps {
  readonly interaction: Interaction;
  /** Below the heading of what is around it. */
  readonly heading?: "h3" | "h4";
}

/** An interaction, an agent's question to the board in a thread: choose, answer or confirm; afterwards, how it ended. */
export const ShownInteraction = ({ interaction: asked, heading: Heading = "h4" }: ShownInteractionProps) => {
  const interaction = readable(asked);
  const nameOf = useNames();
  const title = interactionTitle(interaction);
  return (
    <article className="card" tabIndex={-1} aria-label={`Interaction: ${title}`}>
      <header className="row-wrap">
        <Actor {...nameOf(interaction.createdByAgentId ?? interaction.createdByUserId)} />
        <span className="faint">
          <Time at={interaction.createdAt} />
        </span>
        <span className="grow" />
        <Status of="other" status={interaction.status} />
      </header>
      <Heading>{title}</Heading>
      {interaction.summary === null ? null : <p className="muted card-text">{interaction.summary}</p>}
      <Body interaction={interaction} />
      <Outcome interaction={interaction} />
    </article>
  );
};

/** Ids and addresses, which the page looks up or sends back. */
const isUnread = (field: string): boolean =>
  /^(?:id|href|clientKey|parentClientKey)$|Ids?$|ClientKeys$/.test(field);

/** The interaction with its texts as a person reads them who decides about it. */
const readable = (asked: Interaction): Interaction => {
  const { title, summary, payload, result } = asked;
  return { ...asked, ...visibleRecord({ title, summary, payload, result }, isUnread) };
};

const Body = ({ interaction }: { readonly interaction: Interaction }) => {
  // The service checked the payload against its kind when the interaction was made.
  const { kind, payload } = { kind: interaction.kind, payload: interaction.payload as unknown } as Asked;
  switch (kind) {
    case "suggest_tasks":
      return <SuggestedTasks interaction={interaction} payload={payload} />;
    case "ask_user_questions":
      return <Questions interaction={interaction} payload={payload} />;
    case "request_confirmation":
      return <Confirmation interaction={interaction} payload={payload} />;
    case "request_permission":
      return <PermissionQuestion interaction={interaction} />;
  }
};

const outcomes: Readonly<Record<string, string>> = {
  ...expirySentences,
  withdrawn: "Withdrawn by its author.",
  cancelled: "Closed without an answer.",
};

/** The end of the interaction: by whom, when, and why. */
const Outcome = ({
  interaction: { status, result, resolvedAt, ...interaction },
}: {
  readonly interaction: Interaction;
}) => {
  const nameOf = useNames();
  if (status === "pending") return null;
  const outcome = outcomes[String(result?.outcome ?? result?.expirationReason)];
  const reason = result?.reason ?? result?.rejectionReason ?? null;
  const by = interaction.resolvedByAgentId ?? interaction.resolvedByUserId;
  return (
    <div className="stack">
      {outcome === undefined ? null : <p>{outcome}</p>}
      {reason === null ? null : <blockquote className="card-reason">{String(reason)}</blockquote>}
      {by === null ? null : (
        <p className="faint">
          By {nameOf(by).name}
          {resolvedAt === null ? null : (
            <>
              , <Time at={resolvedAt} />
            </>
          )}
        </p>
      )}
    </div>
  );
};
