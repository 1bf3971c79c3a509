import { useState } from "react";
import { type AnswerOf, useWrite } from "../../live/calls.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { CheckField, Form, Problem, TextField } from "../../parts/field.tsx";
import { useCompany } from "../../shell/company.tsx";

/** Links what a vault's provider holds already. Values are not read. */
export const ImportSecrets = ({
  vault,
  onClose,
}: {
  readonly vault: AnswerOf<"vaults.list">[number];
  readonly onClose: () => void;
}) => {
  const { id: companyId } = useCompany();
  const [query, setQuery] = useState("");
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [found, setFound] = useState<AnswerOf<"secrets.previewImport"> | null>(null);
  const preview = useWrite("secrets.previewImport", {
    onDone: (answer, { nextToken }) =>
      setFound((before) =>
        nextToken === undefined || before === null
          ? answer
          : { ...answer, candidates: [...before.candidates, ...answer.candidates] },
      ),
  });
  const link = useWrite("secrets.import");
  const [answer, setAnswer] = useState<AnswerOf<"secrets.import"> | null>(null);
  const load = (nextToken?: string) =>
    preview.run({
      companyId,
      providerConfigId: vault.id,
      ...(query === "" ? {} : { query }),
      ...(nextToken === undefined ? {} : { nextToken }),
    });
  const importChosen = () =>
    link.run(
      {
        companyId,
        providerConfigId: vault.id,
        secrets: (found?.candidates ?? [])
          .filter(({ externalRef }) => chosen.has(externalRef))
          .map(({ externalRef, name, key, providerVersionRef }) => ({
            externalRef,
            name,
            key,
            ...(providerVersionRef === null ? {} : { providerVersionRef }),
          })),
      },
      { onSuccess: setAnswer },
    );
  return (
    <Dialog title={`Import from ${vault.displayName}`} onClose={onClose} wide>
      {answer === null ? (
        <>
          <Form
            label="Find"
            error={preview.error}
            onSubmit={() => {
              setChosen(new Set());
              load();
            }}
          >
            <TextField
              label="Name contains"
              name="query"
              hint="For the provider's own filter; leave it empty for all. No value is read."
              maxLength={200}
              value={query}
              onChange={setQuery}
            />
            <div className="form-actions">
              <Button type="submit" icon="search" busy={preview.busy}>
                Find
              </Button>
            </div>
          </Form>
          {found === null ? null : found.candidates.length === 0 ? (
            <p className="muted">The provider names no such secret.</p>
          ) : (
            <fieldset className="secrets-candidates">
              <legend className="only-read">What to link</legend>
              {found.candidates.map(({ externalRef, name, key, importable, conflicts }) => (
                <CheckField
                  key={externalRef}
                  name={externalRef}
                  label={`${name} (${key})`}
                  hint={
                    conflicts.length === 0 ? externalRef : conflicts.map(({ message }) => message).join(" ")
                  }
                  disabled={!importable}
                  checked={chosen.has(externalRef)}
                  onChange={(isChecked) => {
                    const next = new Set(chosen);
                    if (isChecked) next.add(externalRef);
                    else next.delete(externalRef);
                    setChosen(next);
                  }}
                />
              ))}
            </fieldset>
          )}
          {link.error === null ? null : <Problem error={link.error} />}
          <div className="form-actions">
            {found?.nextToken ? (
              <Button busy={preview.busy} onClick={() => load(found.nextToken ?? undefined)}>
                Show more
              </Button>
            ) : null}
            <Button
              kind="main"
              busy={link.busy}
              disabled={chosen.size === 0 || chosen.size > 100}
              onClick={importChosen}
            >
              {chosen.size > 100 ? "At most 100 at once" : `Import ${chosen.size}`}
            </Button>
          </div>
        </>
      ) : (
        <>
          <p>
            {answer.importedCount} imported, {answer.skippedCount} skipped, {answer.errorCount} refused.
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
      )}
    </Dialog>
  );
};
