import { useState } from "react";
import { useSearchParams } from "wouter";
import { type Role, roles } from "../../../../core/model/access/roles.ts";
import { type AnswerOf, useRead, useWrite } from "../../live/calls.ts";
import { useSession } from "../../live/session.ts";
import { Actor } from "../../nouns/avatar.tsx";
import { useCompany, useMayHere } from "../../nouns/companies/company.tsx";
import { Button, IconButton } from "../../widgets/button.tsx";
import { Form, Problem, SelectField, TextField } from "../../widgets/field.tsx";
import { FormDialog } from "../../widgets/form-dialog.tsx";
import { OnceDialog } from "../../widgets/once-dialog.tsx";
import { Section } from "../../widgets/section.tsx";
import { Skeleton } from "../../widgets/skeleton.tsx";
import { Table } from "../../widgets/table.tsx";
import { Time } from "../../widgets/time.tsx";
import { useToasts } from "../../widgets/toasts.tsx";

const roleLabels: Readonly<Record<Role, { readonly name: string; readonly rights: string }>> = {
  viewer: { name: "Viewer", rights: "can view" },
  operator: { name: "Operator", rights: "can edit" },
  owner: { name: "Owner", rights: "full access" },
};
const roleOptions = roles.map((value) => ({
  value,
  label: `${roleLabels[value].name} – ${roleLabels[value].rights}`,
}));

/** People who have a role in the company; owners give and take it. */
export const Members = () => {
  const { id: companyId } = useCompany();
  const mayOwn = useMayHere("manageMembers");
  const [isAdding, setAdding] = useState(false);
  const [params, setParams] = useSearchParams();
  const isInviting = mayOwn && params.has("invite");
  const setInviting = (isOpen: boolean) => setParams(isOpen ? { invite: "" } : {}, { replace: true });
  const members = useRead("members.list", { companyId });
  const set = useWrite("members.set");
  const remove = useWrite("members.remove");
  const error = members.error ?? set.error ?? remove.error;
  return (
    <Section
      anchor="members"
      title="Members"
      action={
        mayOwn ? (
          <>
            <Button small aria-expanded={isAdding} onClick={() => setAdding(!isAdding)}>
              Add a member
            </Button>
            <Button small icon="user-plus" onClick={() => setInviting(true)}>
              Invite member
            </Button>
          </>
        ) : undefined
      }
    >
      {isInviting ? <InviteMember onClose={() => setInviting(false)} /> : null}
      {isAdding ? <NewMember onDone={() => setAdding(false)} /> : null}
      {error === null ? null : <Problem error={error} />}
      {members.isPending ? (
        <Skeleton rows={2} />
      ) : members.data === undefined ? null : members.data.length === 0 ? (
        <p className="faint">Only instance admins can see this company.</p>
      ) : (
        <MemberTable members={members.data} onSet={set.run} onRemove={remove.run} />
      )}
    </Section>
  );
};

interface MemberTableProps {
  readonly members: AnswerOf<"members.list">;
  readonly onSet: ReturnType<typeof useWrite<"members.set">>["run"];
  readonly onRemove: ReturnType<typeof useWrite<"members.remove">>["run"];
}

const MemberTable = ({ members, onSet, onRemove }: MemberTableProps) => {
  const { id: companyId } = useCompany();
  const mayOwn = useMayHere("manageMembers");
  const say = useToasts();
  return (
    <Table
      label="Members"
      rows={members}
      rowKey={({ userId }) => userId}
      columns={[
        {
          key: "name",
          title: "Name",
          grows: true,
          cell: ({ name }) => <Actor kind="person" name={name} />,
        },
        {
          key: "role",
          title: "Role",
          cell: ({ userId, name, role }) =>
            mayOwn ? (
              <select
                className="input"
                aria-label={`Role of ${name}`}
                value={role}
                onChange={({ target }) =>
                  onSet(
                    { companyId, userId, role: target.value as Role },
                    {
                      onSuccess: ({ role: given }) =>
                        say.done(`${name} is now ${given}`, () => onSet({ companyId, userId, role })),
                    },
                  )
                }
              >
                {roles.map((each) => (
                  <option key={each} value={each}>
                    {roleLabels[each].name}
                  </option>
                ))}
              </select>
            ) : (
              roleLabels[role].name
            ),
        },
        ...(mayOwn
          ? [
              {
                key: "remove",
                title: "Remove",
                align: "end" as const,
                cell: ({ userId, name, role }: { userId: string; name: string; role: Role }) => (
                  <IconButton
                    icon="x"
                    small
                    label={`Remove ${name}`}
                    onClick={() =>
                      onRemove(
                        { companyId, userId },
                        {
                          onSuccess: () =>
                            say.done(`${name} removed`, () => onSet({ companyId, userId, role })),
                        },
                      )
                    }
                  />
                ),
              },
            ]
          : []),
      ]}
    />
  );
};

/** Somebody new: a name and a role in this company, and a link that signs them in once. */
const InviteMember = ({ onClose }: { readonly onClose: () => void }) => {
  const { id: companyId, name: company } = useCompany();
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("viewer");
  const [email, setEmail] = useState("");
  const methods = useRead("session.methods", {});
  const providers = methods.data?.providers ?? [];
  const [made, setMade] = useState<AnswerOf<"members.invite"> | null>(null);
  const invite = useWrite("members.invite", { onDone: setMade });
  if (made !== null)
    return (
      <OnceDialog
        title={`A link for ${made.name}`}
        values={[{ label: "Link", value: made.url }]}
        onClose={onClose}
      >
        Send it the way you would send a password: it signs in as {made.name}, once, until{" "}
        <Time at={made.expiresAt} as="full" />. It is shown this once.
      </OnceDialog>
    );
  return (
    <FormDialog
      title={`Invite a member to ${company}`}
      verb="Invite"
      write={invite}
      onSubmit={() => invite.run({ companyId, name, role, ...(email === "" ? {} : { email }) })}
      onClose={onClose}
    >
      <TextField label="Name" name="name" required maxLength={500} value={name} onChange={setName} />
      <SelectField label="Role" name="role" value={role} onChange={setRole} options={roleOptions} />
      {providers.length === 0 ? null : (
        <TextField
          label="Email"
          name="email"
          type="email"
          maxLength={254}
          hint={`They can also sign in with ${providers.map((provider) => provider.name).join(" or ")}, if it has verified this address.`}
          value={email}
          onChange={setEmail}
        />
      )}
    </FormDialog>
  );
};

/** A manager of board users chooses from them; others name one by the id that an admin tells them. */
const NewMember = ({ onDone }: { readonly onDone: () => void }) => {
  const { id: companyId } = useCompany();
  const mayChoose = useSession().callerMay.manageUsers.allowed;
  const [userId, setUserId] = useState("");
  const [role, setRole] = useState<Role>("operator");
  const users = useRead("users.list", {}, { enabled: mayChoose });
  const set = useWrite("members.set", { onDone });
  const choices = (users.data ?? []).filter(({ disabledAt }) => disabledAt === null);
  return (
    <Form
      label="Add a member"
      error={set.error}
      onSubmit={() => set.run({ companyId, userId: userId.trim(), role })}
    >
      {mayChoose ? (
        <SelectField
          label="Board user"
          name="userId"
          required
          value={userId}
          onChange={setUserId}
          options={[
            { value: "", label: "Choose a board user" },
            ...choices.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
      ) : (
        <TextField
          label="Id of the board user"
          name="userId"
          required
          hint="Ask an instance admin for it."
          value={userId}
          onChange={setUserId}
        />
      )}
      <SelectField label="Role" name="role" value={role} onChange={setRole} options={roleOptions} />
      <div className="form-actions">
        <Button type="submit" busy={set.busy}>
          Add
        </Button>
      </div>
    </Form>
  );
};
