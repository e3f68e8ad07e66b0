// Requests the lobby's first data while the page's other modules are still loading: this module needs none of them and
// runs at once (index.html). It runs only once, and only without a token.

const WHO = 'fairshoe.who';
const known = sessionStorage.getItem(WHO) || localStorage.getItem(WHO);
let asked =
  location.pathname === '/' && !known
    ? fetch('/v1/tables?limit=50', { cache: 'no-store', credentials: 'omit' })
        .then(reply => (reply.ok ? reply.json() : null))
        .catch(() => null)
    : null;

/** The first page of tables, or null if it has to be requested. */
export function earlyTables() {
  const given = asked;
  asked = null;
  return given;
}
