import { useState } from "react";
import { type AnswerOf, usePages, useRead, useWrite } from "../../live/calls.ts";
import { useCompany, useMayHere } from "../../nouns/companies/company.tsx";
import { Markdown } from "../../nouns/markdown.tsx";
import { MarkdownField } from "../../nouns/markdown-field.tsx";
import { useNames } from "../../nouns/names.ts";
import { Button } from "../../widgets/button.tsx";
import { Diff } from "../../widgets/diff.tsx";
import { Form, Problem } from "../../widgets/field.tsx";
import { Pages } from "../../widgets/pages.tsx";
import { Section } from "../../widgets/section.tsx";
import { Time } from "../../widgets/time.tsx";
import { useToasts } from "../../widgets/toasts.tsx";

type Rules = AnswerOf<"companies.houseRules">;

/** The rules that all agents of the company read in every run; owners change them. */
export const HouseRules = () => {
  const { id: companyId } = useCompany();
  const mayOwn = useMayHere("update");
  const [hasHistory, setHistory] = useState(false);
  /** The text that is being edited, and the revision that it began with. */
  const [edited, setEdited] = useState<Pick<Rules, "body" | "revisionNumber"> | null>(null);
  const rules = useRead("companies.houseRules", { companyId });
  const current = rules.data;
  return (
    <Section anchor="house-rules" title="House rules">
      <p className="faint">
        Included in every agent's context: as CLAUDE.md, as AGENTS.md, or before the prompt.
      </p>
      {rules.isError ? <Problem error={rules.error} /> : null}
      {current === undefined ? null : edited === null ? (
        <>
          {current.body.trim() === "" ? (
            <p className="faint">No rules yet.</p>
          ) : (
            <Markdown text={current.body} />
          )}
          <div className="row-wrap">
            {mayOwn ? (
              <Button small onClick={() => setEdited(current)}>
                {current.body === "" ? "Write house rules" : "Edit house rules"}
              </Button>
            ) : null}
            {current.revisionNumber > 0 ? (
              <Button small kind="quiet" aria-expanded={hasHistory} onClick={() => setHistory(!hasHistory)}>
                {hasHistory ? "Hide" : "Show"} revisions of house rules
              </Button>
            ) : null}
          </div>
          {hasHistory ? (
            <Revisions
              current={current}
              onRestore={mayOwn ? (body) => setEdited({ ...current, body }) : null}
            />
          ) : null}
        </>
      ) : (
        <Editor
          edited={edited}
          onChange={(body) => setEdited({ ...edited, body })}
          onDone={() => setEdited(null)}
        />
      )}
    </Section>
  );
};

interface EditorProps {
  readonly edited: Pick<Rules, "body" | "revisionNumber">;
  readonly onChange: (body: string) => void;
  readonly onDone: () => void;
}

const Editor = ({ edited: { body, revisionNumber }, onChange, onDone }: EditorProps) => {
  const { id: companyId } = useCompany();
  const say = useToasts();
  const save = useWrite("companies.setHouseRules", {
    onDone: () => {
      say.done("House rules saved. They apply to new runs.");
      onDone();
    },
  });
  return (
    <Form
      label="House rules"
      error={save.error}
      onSubmit={() => save.run({ companyId, body, baseRevisionNumber: revisionNumber })}
    >
      <MarkdownField label="House rules" name="body" rows={14} value={body} onChange={onChange} />
      <div className="form-actions">
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" kind="main" busy={save.busy}>
          Save
        </Button>
      </div>
    </Form>
  );
};

interface RevisionsProps {
  readonly current: Rules;
  /** Takes the text of an earlier revision into the editor; null: the reader changes nothing. */
  readonly onRestore: ((body: string) => void) | null;
}

const Revisions = ({ current, onRestore }: RevisionsProps) => {
  const { id: companyId } = useCompany();
  const nameOf = useNames();
  const revisions = usePages("companies.houseRulesRevisions", { companyId });
  const { rows } = revisions;
  return (
    <Pages of={revisions} empty={null}>
      <ol className="plain-list" aria-label="Revisions of the house rules">
        {rows.map(({ revisionNumber, body, createdByUserId, createdAt }, at) => (
          <li key={revisionNumber} className="row list-row">
            <details className="grow">
              <summary>
                Revision {revisionNumber}{" "}
                <span className="faint">
                  · {nameOf(createdByUserId).name}, <Time at={createdAt} />
                </span>
              </summary>
              {rows[at + 1] === undefined && revisionNumber > 1 ? null : (
                <Diff before={rows[at + 1]?.body ?? ""} after={body} />
              )}
            </details>
            {onRestore !== null && revisionNumber !== current.revisionNumber ? (
              <Button small onClick={() => onRestore(body)}>
                Edit from revision {revisionNumber}
              </Button>
            ) : null}
          </li>
        ))}
      </ol>
    </Pages>
  );
};
