import { createRoot } from "react-dom/client";

createRoot(document.getElementById("board")!).render(<p>Boardroom</p>);
