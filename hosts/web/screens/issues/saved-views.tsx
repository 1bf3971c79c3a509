import { useState } from "react";
import { useSearchParams } from "wouter";
import { type AnswerOf, useRead, useWrite } from "../../live/calls.ts";
import { useCompany } from "../../nouns/companies/company.tsx";
import { TextField } from "../../widgets/field.tsx";
import { FilterMenu } from "../../widgets/filter-menu.tsx";
import { FormDialog } from "../../widgets/form-dialog.tsx";
import { useToasts } from "../../widgets/toasts.tsx";

type View = AnswerOf<"savedViews.save">;

/** The query of an address in one order, so that two of the same filters are equal; `new` opens a dialog. */
const queryOf = (params: URLSearchParams): string => {
  const kept = new URLSearchParams(params);
  kept.delete("new");
  kept.sort();
  return kept.toString();
};

/** The lists that the person has given a name: shown by it, saved as what is shown, renamed and deleted. */
export const SavedViews = () => {
  const { id: companyId } = useCompany();
  const say = useToasts();
  const [params, setParams] = useSearchParams();
  const [isSaving, setSaving] = useState(false);
  const [renamed, setRenamed] = useState<View | null>(null);
  const { data: views = [] } = useRead("savedViews.list", { companyId });
  const again = useWrite("savedViews.save", { onRefused: say.refused });
  const remove = useWrite("savedViews.delete", { onRefused: say.refused });
  const query = queryOf(params);
  const present = views.find((each) => each.query === query);
  return (
    <>
      <FilterMenu
        label="Saved views"
        shown={present?.name ?? "Views"}
        isNarrowed={present !== undefined}
        items={[
          ...views.map((view) => ({
            label: view.name,
            isChosen: view === present,
            run: () => setParams(new URLSearchParams(view.query)),
          })),
          ...(present === undefined
            ? [{ label: "Save this view", icon: "save" as const, run: () => setSaving(true) }]
            : [
                {
                  label: `Rename view ${present.name}`,
                  icon: "pencil" as const,
                  run: () => setRenamed(present),
                },
                {
                  label: `Delete view ${present.name}`,
                  icon: "trash" as const,
                  run: () =>
                    remove.run(
                      { companyId, savedViewId: present.id },
                      {
                        onSuccess: () =>
                          say.done(`View ${present.name} deleted`, () =>
                            again.run({ companyId, name: present.name, query: present.query }),
                          ),
                      },
                    ),
                },
              ]),
        ]}
      />
      {isSaving ? (
        <SaveView
          query={query}
          names={views.map(({ name }) => name.toLowerCase())}
          onClose={() => setSaving(false)}
        />
      ) : null}
      {renamed === null ? null : <RenameView view={renamed} onClose={() => setRenamed(null)} />}
    </>
  );
};

interface SaveViewProps {
  readonly query: string;
  /** Those that are taken, in lower case. */
  readonly names: readonly string[];
  readonly onClose: () => void;
}

const SaveView = ({ query, names, onClose }: SaveViewProps) => {
  const { id: companyId } = useCompany();
  const say = useToasts();
  const [name, setName] = useState("");
  const save = useWrite("savedViews.save", {
    onDone: (view) => {
      onClose();
      say.done(`View ${view.name} saved`);
    },
  });
  const nameExists = names.includes(name.trim().toLowerCase());
  return (
    <FormDialog
      title="Save this view"
      verb={nameExists ? "Replace" : "Save"}
      write={save}
      onSubmit={() => save.run({ companyId, name, query })}
      onClose={onClose}
    >
      <TextField
        label="Name"
        name="name"
        required
        maxLength={100}
        hint={
          nameExists
            ? "Replaces your existing view with this name."
            : "Saves filters, order and grouping. Only you can see it."
        }
        value={name}
        onChange={setName}
      />
    </FormDialog>
  );
};

const RenameView = ({ view, onClose }: { readonly view: View; readonly onClose: () => void }) => {
  const { id: companyId } = useCompany();
  const say = useToasts();
  const [name, setName] = useState(view.name);
  const rename = useWrite("savedViews.rename", {
    onDone: ({ name: present }) => {
      onClose();
      say.done(`View renamed to ${present}`);
    },
  });
  return (
    <FormDialog
      title="Rename the view"
      verb="Rename"
      write={rename}
      onSubmit={() => rename.run({ companyId, savedViewId: view.id, name })}
      onClose={onClose}
    >
      <TextField label="Name" name="name" required maxLength={100} value={name} onChange={setName} />
    </FormDialog>
  );
};
