import { useState } from "react";
import { type AnswerOf, useWrite } from "../../live/calls.ts";
import { isObject } from "../../nouns/agents/environment.ts";
import { SecretNameFields, SecretNotesField } from "../../nouns/secrets/secret-facts.tsx";
import { TextArea } from "../../widgets/field.tsx";
import { FormDialog } from "../../widgets/form-dialog.tsx";
import { useToasts } from "../../widgets/toasts.tsx";

type Secret = AnswerOf<"secrets.list">[number];
type Metadata = NonNullable<Secret["providerMetadata"]>;

/** undefined: the text is no JSON object. */
const metadataOf = (text: string): Metadata | null | undefined => {
  if (text.trim() === "") return null;
  try {
    const parsed: unknown = JSON.parse(text);
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
};

/** Changes everything of a secret but its value and its state. */
export const EditSecret = ({
  secret,
  onClose,
}: {
  readonly secret: Secret;
  readonly onClose: () => void;
}) => {
  const say = useToasts();
  const [before] = useState(() => ({
    name: secret.name,
    key: secret.key,
    description: secret.description ?? "",
    metadata: secret.providerMetadata === null ? "" : JSON.stringify(secret.providerMetadata, null, 2),
  }));
  const [fields, setFields] = useState(before);
  const set = (change: Partial<typeof fields>) => setFields({ ...fields, ...change });
  const update = useWrite("secrets.update", {
    onDone: ({ name }) => {
      onClose();
      say.done(`${name} updated`);
    },
  });
  const providerMetadata = metadataOf(fields.metadata);
  const { name, key, description } = fields;
  return (
    <FormDialog
      title={`Edit ${secret.name}`}
      verb="Save"
      write={update}
      disabled={providerMetadata === undefined}
      onSubmit={() =>
        update.run({
          secretId: secret.id,
          ...(name === before.name ? {} : { name }),
          ...(key === before.key ? {} : { key }),
          ...(description === before.description ? {} : { description: description.trim() || null }),
          ...(fields.metadata === before.metadata || providerMetadata === undefined
            ? {}
            : { providerMetadata }),
        })
      }
      onClose={onClose}
    >
      <SecretNameFields value={fields} onChange={set} />
      <SecretNotesField value={fields} onChange={set} />
      {secret.managedMode === "service_managed" && before.metadata === "" ? null : (
        <TextArea
          label="Provider metadata"
          name="providerMetadata"
          className="input mono"
          spellCheck={false}
          hint={
            providerMetadata === undefined
              ? "Enter a JSON object."
              : "A JSON object for your own notes. Not passed to runs."
          }
          value={fields.metadata}
          onChange={(metadata) => set({ metadata })}
        />
      )}
    </FormDialog>
  );
};
