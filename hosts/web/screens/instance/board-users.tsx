import { useState } from "react";
import { type AnswerOf, useRead, useWrite } from "../../live/calls.ts";
import { useSession } from "../../live/session.ts";
import { Actor } from "../../nouns/avatar.tsx";
import { Button } from "../../widgets/button.tsx";
import { ConfirmDialog } from "../../widgets/dialog.tsx";
import { CheckField, Problem, TextField } from "../../widgets/field.tsx";
import { FormDialog } from "../../widgets/form-dialog.tsx";
import { Icon } from "../../widgets/icon.tsx";
import { Menu } from "../../widgets/menu.tsx";
import { OnceDialog } from "../../widgets/once-dialog.tsx";
import { Skeleton } from "../../widgets/skeleton.tsx";
import { Time } from "../../widgets/time.tsx";
import { useToasts } from "../../widgets/toasts.tsx";

type BoardUser = AnswerOf<"users.list">[number];
type Link = AnswerOf<"users.invite">;

/** People who may sign in. What they may do in a company is among its members. */
export const BoardUsers = () => {
  const { userId: self } = useSession();
  const [isAdding, setAdding] = useState(false);
  const [invitation, setInvitation] = useState<{ readonly name: string; readonly link: Link } | null>(null);
  const [disabling, setDisabling] = useState<BoardUser | null>(null);
  const users = useRead("users.list", {});
  const { update, setAdmin, enable } = useUserChanges(() => setDisabling(null));
  const invite = useWrite("users.invite");
  const error = users.error ?? update.error ?? invite.error;
  const sendInvitation = ({ id, name }: BoardUser) =>
    invite.run({ userId: id }, { onSuccess: (link) => setInvitation({ name, link }) });
  return (
    <section className="instance-section" aria-labelledby="instance-users">
      <header className="row">
        <h2 id="instance-users" className="grow">
          Board users
        </h2>
        <Button small icon="user-plus" onClick={() => setAdding(true)}>
          Add a board user
        </Button>
      </header>
      {users.isPending ? <Skeleton rows={2} /> : null}
      {error === null ? null : <Problem error={error} />}
      <ul className="plain-list">
        {(users.data ?? []).map((user) => (
          <UserRow
            key={user.id}
            user={user}
            isSelf={user.id === self}
            isInviting={invite.busy}
            onInvite={() => sendInvitation(user)}
            onEnable={() => enable(user)}
            onSetAdmin={() => setAdmin(user, !user.admin)}
            onDisable={() => setDisabling(user)}
          />
        ))}
      </ul>
      {isAdding ? (
        <NewUser
          onClose={() => setAdding(false)}
          onDone={(user) => {
            setAdding(false);
            sendInvitation(user);
          }}
        />
      ) : null}
      {invitation === null ? null : (
        <Invitation name={invitation.name} link={invitation.link} onClose={() => setInvitation(null)} />
      )}
      {disabling === null ? null : (
        <ConfirmDialog
          title={`Disable ${disabling.name}?`}
          verb="Disable"
          busy={update.busy}
          onConfirm={() => update.run({ userId: disabling.id, disabled: true })}
          onClose={() => setDisabling(null)}
        >
          This signs {disabling.name} out and deletes their tokens permanently.
        </ConfirmDialog>
      )}
    </section>
  );
};

/** The changes of a user; `onEnd` after each that is done or refused. */
const useUserChanges = (onEnd: () => void) => {
  const say = useToasts();
  const update = useWrite("users.update", { onDone: onEnd, onRefused: onEnd });
  const setAdmin = ({ id, name }: BoardUser, admin: boolean) =>
    update.run(
      { userId: id, admin },
      {
        onSuccess: () =>
          say.done(
            admin ? `${name} is now an instance admin` : `${name} is no longer an instance admin`,
            () => update.run({ userId: id, admin: !admin }),
          ),
      },
    );
  return { update, setAdmin, enable: ({ id }: BoardUser) => update.run({ userId: id, disabled: false }) };
};

interface UserRowProps {
  readonly user: BoardUser;
  readonly isSelf: boolean;
  readonly isInviting: boolean;
  readonly onInvite: () => void;
  readonly onEnable: () => void;
  readonly onSetAdmin: () => void;
  readonly onDisable: () => void;
}

const UserRow = ({ user, isSelf, isInviting, onInvite, onEnable, onSetAdmin, onDisable }: UserRowProps) => (
  <li className="instance-row">
    <Actor kind="person" name={user.name} />
    <span className="faint grow">
      {user.admin ? "instance admin · " : ""}added <Time at={user.createdAt} />
    </span>
    {user.disabledAt === null ? (
      <Button small busy={isInviting} onClick={onInvite}>
        Invite
      </Button>
    ) : (
      <>
        <span className="status grey">
          <Icon name="ban" /> Disabled
        </span>
        <Button small onClick={onEnable}>
          Enable
        </Button>
      </>
    )}
    {user.disabledAt !== null || isSelf ? null : (
      <Menu
        label={`More about ${user.name}`}
        className="button quiet small icon-only"
        align="end"
        button={<Icon name="ellipsis" />}
        items={[
          {
            label: user.admin ? "Remove as instance admin" : "Make instance admin",
            icon: "shield-check",
            run: onSetAdmin,
          },
          { label: "Disable", icon: "ban", kind: "danger", run: onDisable },
        ]}
      />
    )}
  </li>
);

interface InvitationProps {
  readonly name: string;
  readonly link: Link;
  readonly onClose: () => void;
}

const Invitation = ({ name, link, onClose }: InvitationProps) => (
  <OnceDialog title={`A link for ${name}`} values={[{ label: "Link", value: link.url }]} onClose={onClose}>
    Send it the way you would send a password: it signs in as {name}, once, until{" "}
    <Time at={link.expiresAt} as="full" />. It is shown this once, and the link before it has ended.
  </OnceDialog>
);

interface NewUserProps {
  readonly onClose: () => void;
  readonly onDone: (user: BoardUser) => void;
}

const NewUser = ({ onClose, onDone }: NewUserProps) => {
  const [name, setName] = useState("");
  const [admin, setAdmin] = useState(false);
  const create = useWrite("users.create", { onDone });
  return (
    <FormDialog
      title="Add a board user"
      verb="Add and invite"
      write={create}
      onSubmit={() => create.run({ name, admin })}
      onClose={onClose}
    >
      <TextField label="Name" name="name" required value={name} onChange={setName} />
      <CheckField
        label="Instance admin"
        name="admin"
        hint="Full access to every company and to this page."
        checked={admin}
        onChange={setAdmin}
      />
    </FormDialog>
  );
};
