import { useState } from "react";
import { Link, useSearchParams } from "wouter";
import { type AnswerOf, useRead, useWrite } from "../../live/calls.ts";
import { useCompany, useHere } from "../../nouns/companies/company.tsx";
import { Button } from "../../widgets/button.tsx";
import { TextField } from "../../widgets/field.tsx";
import { FormDialog } from "../../widgets/form-dialog.tsx";
import { Icon } from "../../widgets/icon.tsx";
import { Menu } from "../../widgets/menu.tsx";
import { useToasts } from "../../widgets/toasts.tsx";
import type { FilterValues } from "./issue-filters.tsx";
import { addressOf, builtInViewOf, builtInViews } from "./issue-views.ts";

type View = AnswerOf<"savedViews.save">;

/** The query of an address in one order, so that two of the same filters are equal; `new` opens a dialog. */
const queryOf = (params: URLSearchParams): string => {
  const sorted = new URLSearchParams(params);
  sorted.delete("new");
  sorted.sort();
  return sorted.toString();
};

/** The view that the address shows, and those that the person has saved. */
export const useShownView = (values: FilterValues) => {
  const { id: companyId } = useCompany();
  const [params] = useSearchParams();
  const { data: saved = [] } = useRead("savedViews.list", { companyId });
  const query = queryOf(params);
  const shown = saved.find((each) => each.query === query) ?? null;
  const builtIn = shown === null ? builtInViewOf(values) : null;
  return {
    saved,
    shown,
    /** null: a saved view is shown. */
    builtIn,
    /** It differs from each view, by what it shows or how. */
    isNew: shown === null && query !== queryOf(addressOf(builtInViewOf(values), new URLSearchParams())),
  };
};

type ShownView = ReturnType<typeof useShownView>;

/** The views at the left of the list: those that everybody has, and the person's own. */
export const ViewTabs = ({ saved, shown, builtIn, isNew }: ShownView) => {
  const here = useHere();
  const [params] = useSearchParams();
  const pathOf = (query: string) => here(query === "" ? "/issues" : `/issues?${query}`);
  return (
    <nav aria-label="Views" className="issues-views">
      {builtInViews.map((view) => (
        <Link
          key={view.name}
          href={pathOf(addressOf(view, params).toString())}
          aria-current={view === builtIn ? "page" : undefined}
        >
          {view.name}
        </Link>
      ))}
      {saved.map((view) => (
        <Link
          key={view.id}
          href={pathOf(view.query)}
          className="cut"
          aria-current={view === shown ? "page" : undefined}
        >
          {view.name}
        </Link>
      ))}
      {shown === null ? null : <ShownViewMenu view={shown} />}
      {isNew ? <SaveView names={saved.map(({ name }) => name.toLowerCase())} /> : null}
    </nav>
  );
};

/** Renames and deletes the view that is shown. */
const ShownViewMenu = ({ view }: { readonly view: View }) => {
  const { id: companyId } = useCompany();
  const say = useToasts();
  const [isRenaming, setRenaming] = useState(false);
  const again = useWrite("savedViews.save", { onRefused: say.refused });
  const remove = useWrite("savedViews.delete", { onRefused: say.refused });
  const onDeleted = () =>
    say.done(`View ${view.name} deleted`, () => again.run({ companyId, name: view.name, query: view.query }));
  return (
    <>
      <Menu
        label={`Edit view ${view.name}`}
        className="button quiet small icon-only"
        button={<Icon name="ellipsis" />}
        items={[
          { label: "Rename view", icon: "pencil", run: () => setRenaming(true) },
          {
            label: "Delete view",
            icon: "trash",
            run: () => remove.run({ companyId, savedViewId: view.id }, { onSuccess: onDeleted }),
          },
        ]}
      />
      {isRenaming ? <RenameView view={view} onClose={() => setRenaming(false)} /> : null}
    </>
  );
};

/** Gives the list that is shown a name. */
const SaveView = ({ names }: Pick<SaveViewProps, "names">) => {
  const [params] = useSearchParams();
  const [isSaving, setSaving] = useState(false);
  return (
    <>
      <Button kind="quiet" small icon="save" onClick={() => setSaving(true)}>
        <span className="issues-save">Save view</span>
      </Button>
      {isSaving ? (
        <SaveViewDialog query={queryOf(params)} names={names} onClose={() => setSaving(false)} />
      ) : null}
    </>
  );
};

interface SaveViewProps {
  readonly query: string;
  /** Those that are taken, in lower case. */
  readonly names: readonly string[];
  readonly onClose: () => void;
}

const SaveViewDialog = ({ query, names, onClose }: SaveViewProps) => {
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
