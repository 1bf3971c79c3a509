import { Page } from "../../widgets/page.tsx";
import { Assistants } from "./assistants.tsx";
import { Chat } from "./chat.tsx";
import { EmailAddress } from "./email-address.tsx";
import { Notices } from "./notices.tsx";
import { OwnName } from "./own-name.tsx";
import { Passkeys } from "./passkeys.tsx";
import { Phone } from "./phone.tsx";
import { PushDevices } from "./push-devices.tsx";
import { Sessions } from "./sessions.tsx";
import { SignIns } from "./sign-ins.tsx";
import { Tokens } from "./tokens.tsx";

/** Name, notices, passkeys, browsers, assistants and tokens of the person who is signed in, the same in each company. */
export const ProfileScreen = () => (
  <Page title="Your profile">
    <div className="sections">
      <OwnName />
      <EmailAddress />
      <Chat />
      <Notices />
      <Passkeys />
      <Phone />
      <PushDevices />
      <Sessions />
      <SignIns />
      <Assistants />
      <Tokens />
    </div>
  </Page>
);
