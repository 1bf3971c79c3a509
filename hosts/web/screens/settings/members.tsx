import { useState } from "react";
import { type Role, roles } from "../../../../core/access/roles.ts";
import { useRead, useWrite } from "../../live/calls.ts";
import { useSession } from "../../live/session.ts";
import { Actor } from "../../parts/avatar.tsx";
import { Button, IconButton } from "../../parts/button.tsx";
import { Form, Problem, SelectField, TextField } from "../../parts/field.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Table } from "../../parts/table.tsx";
import { useToasts } from "../../parts/toasts.tsx";
import { useCompany, useMayHere } from "../../shell/company.tsx";
import { Section } from "./section.tsx";

const roleWords: Readonly<Record<Role, string>> = {
  viewer: "Viewer: reads",
  operator: "Operator: works",
  owner: "Owner: decides on money and members, too",
};
const roleOptions = roles.map((value) => ({ value, label: roleWords[value] }));

/** People who have a role in the company; owners give and take it. */
export const Members = () => {
  const { id: companyId } = useCompany();
  const mayOwn = useMayHere("manageMembers");
  const say = useToasts();
  const [isAdding, setAdding] = useState(false);
  const members = useRead("members.list", { companyId });
  const set = useWrite("members.set");
  const remove = useWrite("members.remove");
  const error = members.error ?? set.error ?? remove.error;
  return (
    <Section
      title="Members"
      action={
        mayOwn ? (
          <Button small icon="user-plus" aria-expanded={isAdding} onClick={() => setAdding(!isAdding)}>
            Add a member
          </Button>
        ) : undefined
      }
    >
      {isAdding ? <NewMember onDone={() => setAdding(false)} /> : null}
      {error === null ? null : <Problem error={error} />}
      {members.isPending ? (
        <Skeleton rows={2} />
      ) : members.data === undefined ? null : members.data.length === 0 ? (
        <p className="faint">Instance admins alone see this company.</p>
      ) : (
        <Table
          label="Members"
          rows={members.data}
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
                      set.run(
                        { companyId, userId, role: target.value as Role },
                        {
                          onSuccess: ({ role: given }) =>
                            say.done(`${name} is ${given} now.`, () => set.run({ companyId, userId, role })),
                        },
                      )
                    }
                  >
                    {roles.map((each) => (
                      <option key={each} value={each}>
                        {roleWords[each].split(":")[0]}
                      </option>
                    ))}
                  </select>
                ) : (
                  roleWords[role].split(":")[0]
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
                        label={`Take the role of ${name} away`}
                        onClick={() =>
                          remove.run(
                            { companyId, userId },
                            {
                              onSuccess: () =>
                                say.done(`${name} has no role here any more.`, () =>
                                  set.run({ companyId, userId, role }),
                                ),
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
      )}
    </Section>
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
          hint="An instance admin knows it."
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
