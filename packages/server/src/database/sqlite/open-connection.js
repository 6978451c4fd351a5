import Libsql from 'libsql'

/** Result codes for files that SQLite cannot open, https://www.sqlite.org/rescode.html */
const CODES = /** @type {Record<string, string>} */ ({
  3: 'SQLITE_PERM',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  23: 'SQLITE_AUTH',
  26: 'SQLITE_NOTADB',
})

/**
 * Plain JavaScript, because the connection thread loads it directly. For a file that cannot be opened, libsql gives the code only in its
 * message.
 * @param {string} file @param {Libsql.Options} [options] @returns {Libsql.Database}
 */
export function openConnection(file, options) {
  try {
    return new Libsql(file, options)
  } catch (error) {
    const [, number = ''] = /: (\d+)"\)$/.exec(/** @type {Error} */ (error).message) ?? []
    const code = CODES[number]
    throw code === undefined ? error : Object.assign(/** @type {Error} */ (error), { code })
  }
}
