import { useState } from "react";
import { type RowOf, useRead, useWrite } from "../../live/calls.ts";
import { useCompany } from "../../nouns/companies/company.tsx";
import { useChangeIssue } from "../../nouns/issues/change-issues.ts";
import { optionsOf, useIssueFields } from "../../nouns/issues/issue-fields.tsx";
import { LabelName } from "../../nouns/issues/label-dot.tsx";
import { Combobox } from "../../widgets/combobox.tsx";
import { Dialog } from "../../widgets/dialog.tsx";
import { type Key, useKeys } from "../../widgets/keys.tsx";
import { useToasts } from "../../widgets/toasts.tsx";

type Issue = RowOf<"issues.list">;

const labelsKey = "l";

/** The issue whose row or card has the focus. */
const focusedIn = (issues: readonly Issue[]): Issue | undefined => {
  const holder = document.activeElement?.closest<HTMLElement>("[data-issue]");
  return issues.find(({ id }) => id === holder?.dataset.issue);
};

/** Keys that change the issue with the focus, in the list and on the board: each opens the choice for it. */
export const FieldKeys = ({ issues }: { readonly issues: readonly Issue[] }) => {
  const fields = useIssueFields(useCompany().id);
  const [asked, setAsked] = useState<{ readonly key: string; readonly issue: Issue } | null>(null);
  const ask = (key: string) => {
    const issue = focusedIn(issues);
    if (issue !== undefined) setAsked({ key, issue });
  };
  useKeys([
    ...fields.flatMap(({ key, label }): Key[] =>
      key === undefined
        ? []
        : [
            {
              keys: key,
              does: `Change the ${label.toLowerCase()} of the focused issue`,
              run: () => ask(key),
            },
          ],
    ),
    { keys: labelsKey, does: "Change the labels of the focused issue", run: () => ask(labelsKey) },
  ]);
  if (asked === null) return null;
  const props = { issue: asked.issue, onClose: () => setAsked(null) };
  const field = fields.find(({ key }) => key === asked.key);
  return field === undefined ? <ChooseLabel {...props} /> : <ChooseValue {...props} field={field} />;
};

interface ChooseProps {
  readonly issue: Issue;
  readonly onClose: () => void;
}

const ChooseValue = ({
  issue,
  field: { label, choices },
  onClose,
}: ChooseProps & { readonly field: ReturnType<typeof useIssueFields>[number] }) => {
  const say = useToasts();
  const { change } = useChangeIssue({ onRefused: say.refused });
  const value = String(choices.findIndex(({ isOf }) => isOf(issue)));
  return (
    <Dialog title={`${label} of ${issue.identifier}`} onClose={onClose}>
      <div>
        <Combobox
          label={label}
          opens
          options={optionsOf(choices, issue)}
          value={value}
          onChange={(at) => {
            onClose();
            if (at === null || at === value) return;
            const { changes, done } = choices[Number(at)]!;
            change(issue, changes, done(issue.identifier));
          }}
          onLeave={onClose}
        />
      </div>
    </Dialog>
  );
};

/** Puts a label on the issue, or takes off one that it has. */
const ChooseLabel = ({ issue, onClose }: ChooseProps) => {
  const { id: companyId } = useCompany();
  const say = useToasts();
  const { data: known = [] } = useRead("labels.list", { companyId });
  const update = useWrite("issues.update", { onRefused: say.refused });
  const before = (issue.labels ?? []).map(({ id }) => id);
  return (
    <Dialog title={`Labels of ${issue.identifier}`} onClose={onClose}>
      <div>
        <Combobox
          label="Label"
          opens
          options={known.map(({ id, name, color }) => {
            const label = before.includes(id) ? `Remove ${name}` : name;
            return { value: id, label, shown: <LabelName name={label} color={color} /> };
          })}
          value={null}
          onChange={(id) => {
            onClose();
            const label = known.find((each) => each.id === id);
            if (label === undefined) return;
            const has = before.includes(label.id);
            update.run(
              {
                issueId: issue.id,
                labelIds: has ? before.filter((each) => each !== label.id) : [...before, label.id],
              },
              {
                onSuccess: () =>
                  say.done(
                    has
                      ? `${label.name} removed from ${issue.identifier}`
                      : `${label.name} added to ${issue.identifier}`,
                    () => update.run({ issueId: issue.id, labelIds: before }),
                  ),
              },
            );
          }}
          onLeave={onClose}
        />
      </div>
    </Dialog>
  );
};
