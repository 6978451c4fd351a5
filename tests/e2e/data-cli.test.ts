import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { MedloomCommand } from '../testing/medloom-command.js'
import { temporaryFolder } from '../testing/service.js'
import { shared } from '../testing/shared.js'

const folder = temporaryFolder('data-cli')
const medloom = new MedloomCommand(folder, { MEDLOOM_URL: shared.url }).run
const json = async (...args: string[]) => JSON.parse((await medloom(...args, '--json')).stdout)

describe('data at a terminal', () => {
  let table = ''
  beforeAll(async () => {
    const local = join(folder, 'study')
    mkdirSync(join(local, 'inner'), { recursive: true })
    const rows = Array.from({ length: 60 }, (_, row) => `Muster-${row},${row % 3},${row % 2 ? 'a' : 'b'}`)
    writeFileSync(join(local, 'table.csv'), `patient_id,code,label\n${rows.join('\n')}\n`)
    writeFileSync(join(local, 'inner', 'note.txt'), 'x')
    writeFileSync(join(local, '.hidden'), 'x')
    const sent = await json('files', 'upload', local, '--folder', 'from a terminal')
    expect(sent.files).toEqual(['inner/note.txt', 'table.csv'])
    table = join(sent.folder, 'table.csv')
    expect(readFileSync(table)).toEqual(readFileSync(join(local, 'table.csv')))
    const listed = await json('files', 'ls', sent.folder)
    expect(listed.entries.map(({ name }: { name: string }) => name)).toEqual(['inner', 'table.csv'])
  })

  it('roles are chosen, changed and taken back', async () => {
    const roleOf = ({ columns }: { columns: { name: string; role: string }[] }) =>
      columns.find(({ name }) => name === 'code')?.role
    expect(roleOf(await json('datasets', 'inspect', table, '--role', 'code=categorical'))).toBe('categorical')
    expect(roleOf(await json('datasets', 'add', table, '--name', 'cli data'))).toBe('numeric')
    expect(roleOf(await json('datasets', 'edit', 'cli data', '--role', 'code=ignored'))).toBe('ignored')
    const back = await json('datasets', 'edit', 'cli data', '--role', 'code=inferred', '--note', 'looked at')
    expect([roleOf(back), back.note]).toEqual(['numeric', 'looked at'])
    expect((await medloom('datasets', 'edit', 'cli data')).code).toBe(2)
  })

  it('cases, values and pairs are looked at without identifiers', async () => {
    const cases = await medloom('datasets', 'cases', 'cli data', '--filter', 'code = 2', '--class', 'a')
    expect(cases.stdout).toContain('#6')
    expect(cases.stdout).not.toContain('Muster')
    const shown = await medloom('datasets', 'cases', 'cli data', '--identifiers', '--limit', '1')
    expect(shown.stdout).toContain('Muster-0')
    expect((await medloom('datasets', 'distribution', 'cli data', 'label')).stdout).toContain('30')
    expect((await medloom('datasets', 'leaks', 'cli data')).stdout).toContain('No leaks were found.')
  })

  it('a study is adopted, its open question is answered, and the printed commands run', async () => {
    const study = join(shared.dataset, 'adopted')
    mkdirSync(study)
    const rows = Array.from({ length: 60 }, (_, row) => `p${row},${row % 7},${row % 3 ? 'a' : 'b'}`)
    writeFileSync(join(study, 'cases.csv'), `patient_id,grade,arm\n${rows.join('\n')}\n`)
    const open = await medloom('data', 'adopt', study)
    expect(open.stderr).toBe('')
    const [, answer = ''] = /^Next: medloom (.*)$/m.exec(open.stdout) ?? []
    expect(answer).toBe(`data adopt ${study} --label COLUMN -o recipe.yaml --force`)
    expect((await medloom('train', '-f', 'recipe.yaml', '--check')).stdout).toContain('not ready: a question')
    expect((await medloom('data', 'adopt', study)).stderr).toContain('--force')
    const answered = await medloom(...answer.replace('COLUMN', 'arm').split(' '))
    const [, next = ''] = /^Next: medloom (.*)$/m.exec(answered.stdout) ?? []
    expect(next).toBe('train -f recipe.yaml --check')
    const checked = await medloom(...next.split(' '))
    expect(checked.stdout).toContain('The training can be started.')
  })
})
