// Time zones and locales in which tests run under load, a different one in each round.

/** The largest offset from UTC, an offset with half an hour, and no offset; a locale with a decimal comma, and one without any rules. */
const PLACES = [
  { TZ: 'Pacific/Kiritimati', LC_ALL: 'de_DE.UTF-8' },
  { TZ: 'America/St_Johns', LC_ALL: 'C.UTF-8' },
  { TZ: 'UTC', LC_ALL: 'C' },
]

/** Environment variables of a round. A locale that the system lacks is omitted, because shells would warn about it. */
export function placeOf(round, installed) {
  const { TZ, LC_ALL } = PLACES[round % PLACES.length]
  return isInstalled(LC_ALL, installed) ? { TZ, LC_ALL } : { TZ }
}

/** "de_DE.UTF-8" is listed as "de_DE.utf8". */
function isInstalled(locale, installed) {
  const plain = (name) => name.toLowerCase().replaceAll('-', '')
  return installed.some((name) => plain(name) === plain(locale))
}
