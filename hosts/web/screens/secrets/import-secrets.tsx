import { useState } from "react";
import { type AnswerOf, useWrite } from "../../live/calls.ts";
import { useCompany } from "../../nouns/companies/company.tsx";
import { Button } from "../../widgets/button.tsx";
import { Dialog } from "../../widgets/dialog.tsx";
import { CheckField, Form, Problem, TextField } from "../../widgets/field.tsx";

type Vault = AnswerOf<"vaults.list">[number];
type Found = AnswerOf<"secrets.previewImport">;

interface ImportSecretsProps {
  readonly vault: Vault;
  readonly onClose: () => void;
}

/** Links what a vault's provider holds already. Values are not read. */
export const ImportSecrets = ({ vault, onClose }: ImportSecretsProps) => {
  const [answer, setAnswer] = useState<AnswerOf<"secrets.import"> | null>(null);
  return (
    <Dialog title={`Import from ${vault.displayName}`} onClose={onClose} wide>
      {answer === null ? (
        <Choice vault={vault} onImported={setAnswer} />
      ) : (
        <Imported answer={answer} onClose={onClose} />
      )}
    </Dialog>
  );
};

/** The secrets of the provider that have been found so far, and those of them that are chosen. */
const useCandidates = ({ id: providerConfigId }: Vault) => {
  const { id: companyId } = useCompany();
  const [query, setQuery] = useState("");
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [found, setFound] = useState<Found | null>(null);
  const preview = useWrite("secrets.previewImport", {
    onDone: (answer, { nextToken }) =>
      setFound((before) =>
        nextToken === undefined || before === null
          ? answer
          : { ...answer, candidates: [...before.candidates, ...answer.candidates] },
      ),
  });
  const load = (nextToken?: string) =>
    preview.run({
      companyId,
      providerConfigId,
      ...(query === "" ? {} : { query }),
      ...(nextToken === undefined ? {} : { nextToken }),
    });
  return {
    query,
    setQuery,
    found,
    chosen,
    choose: (externalRef: string, isChosen: boolean) => {
      const next = new Set(chosen);
      if (isChosen) next.add(externalRef);
      else next.delete(externalRef);
      setChosen(next);
    },
    find: () => {
      setChosen(new Set());
      load();
    },
    more: found?.nextToken ? () => load(found.nextToken ?? undefined) : null,
    busy: preview.busy,
    error: preview.error,
  };
};

/** As the import takes those that are chosen. */
const linksTo = ({ candidates }: Found, chosen: ReadonlySet<string>) =>
  candidates
    .filter(({ externalRef }) => chosen.has(externalRef))
    .map(({ externalRef, name, key, providerVersionRef }) => ({
      externalRef,
      name,
      key,
      ...(providerVersionRef === null ? {} : { providerVersionRef }),
    }));

interface ChoiceProps {
  readonly vault: Vault;
  readonly onImported: (answer: AnswerOf<"secrets.import">) => void;
}

const Choice = ({ vault, onImported }: ChoiceProps) => {
  const { id: companyId } = useCompany();
  const { query, setQuery, found, chosen, choose, find, more, busy, error } = useCandidates(vault);
  const link = useWrite("secrets.import", { onDone: onImported });
  return (
    <>
      <Form label="Find" error={error} onSubmit={find}>
        <TextField
          label="Name contains"
          name="query"
          hint="Filters by name at the provider. Leave empty for all. Values aren't read."
          maxLength={200}
          value={query}
          onChange={setQuery}
        />
        <div className="form-actions">
          <Button type="submit" icon="search" busy={busy}>
            Find
          </Button>
        </div>
      </Form>
      {found === null ? null : <Candidates found={found} chosen={chosen} onChoose={choose} />}
      {link.error === null ? null : <Problem error={link.error} />}
      <div className="form-actions">
        {more === null ? null : (
          <Button busy={busy} onClick={more}>
            Show more
          </Button>
        )}
        <Button
          kind="main"
          busy={link.busy}
          disabled={found === null || chosen.size === 0 || chosen.size > 100}
          onClick={() =>
            found === null
              ? undefined
              : link.run({ companyId, providerConfigId: vault.id, secrets: linksTo(found, chosen) })
          }
        >
          {chosen.size > 100 ? "At most 100 at once" : `Import ${chosen.size}`}
        </Button>
      </div>
    </>
  );
};

interface CandidatesProps {
  readonly found: Found;
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (externalRef: string, isChosen: boolean) => void;
}

const Candidates = ({ found, chosen, onChoose }: CandidatesProps) =>
  found.candidates.length === 0 ? (
    <p className="muted">No secrets found at the provider</p>
  ) : (
    <fieldset className="secrets-candidates">
      <legend className="only-read">Secrets to link</legend>
      {found.candidates.map(({ externalRef, name, key, importable, conflicts }) => (
        <CheckField
          key={externalRef}
          name={externalRef}
          label={`${name} (${key})`}
          hint={conflicts.length === 0 ? externalRef : conflicts.map(({ message }) => message).join(" ")}
          disabled={!importable}
          checked={chosen.has(externalRef)}
          onChange={(isChecked) => onChoose(externalRef, isChecked)}
        />
      ))}
    </fieldset>
  );

interface ImportedProps {
  readonly answer: AnswerOf<"secrets.import">;
  readonly onClose: () => void;
}

const Imported = ({ answer, onClose }: ImportedProps) => (
  <>
    <p>
      {answer.importedCount} imported, {answer.skippedCount} skipped, {answer.errorCount} failed.
    </p>
    <ul className="secrets-list">
      {answer.results
        .filter(({ status }) => status !== "imported")
        .map(({ externalRef, name, reason }) => (
          <li key={externalRef}>
            {name}: {reason}
          </li>
        ))}
    </ul>
    <div className="form-actions">
      <Button kind="main" onClick={onClose}>
        Close
      </Button>
    </div>
  </>
);
