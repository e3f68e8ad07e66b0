// What the lobby shows first is asked for while the page's other modules are still on their way: this one needs none of
// them and runs as soon as it is here (index.html). Once alone, and only for whoever comes without a token.

const WHO = 'fairshoe.who';
const known = sessionStorage.getItem(WHO) || localStorage.getItem(WHO);
let asked =
  location.pathname === '/' && !known
    ? fetch('/v1/tables?limit=50', { cache: 'no-store', credentials: 'omit' })
        .then(reply => (reply.ok ? reply.json() : null))
        .catch(() => null)
    : null;

/** The first page of tables, or null where it has to be asked for. */
export function earlyTables() {
  const given = asked;
  asked = null;
  return given;
}
