import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Workflow } from '@medloom/contracts'
import { describe, expect, it } from 'vitest'
import { eventually } from '../../packages/server/testing/eventually.js'
import { Caller } from '../testing/http.js'
import { MedloomCommand } from '../testing/medloom-command.js'
import { temporaryFolder } from '../testing/service.js'
import { shared } from '../testing/shared.js'
import { longWorkflow, Workflows, workflow } from '../testing/workflow.js'

const url = shared.url
const workflows = new Workflows(new Caller(url))
const csv = join(shared.dataset, 'train.csv')
const folder = temporaryFolder('workflow-cli')

const command = new MedloomCommand(folder, { MEDLOOM_URL: url, XDG_STATE_HOME: join(folder, 'state') })
const medloom = (...args: string[]) => command.run('workflow', ...args)

/** load ─► keep, as a user-written file. */
function file(name: string, condition: string): string {
  const document = workflow(
    { load: ['LoadTabular', { path: csv }], keep: ['FilterData', { filter_condition: condition }] },
    ['load.dataframe > keep.dataset'],
    name,
  )
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(document, null, 2))
  return `${name}.json`
}
const idOf = (stdout: string) => String(/^workflow (\S+)$/m.exec(stdout)?.[1])

describe('medloom workflow', () => {
  it('templates and new: a template becomes a file; one that exists is not overwritten', async () => {
    expect((await medloom('templates')).stdout).toMatch(/^first-example +7 +First example/m)
    const made = await medloom('new', 'mine.json', '--template', 'first-example', '--name', 'mine')
    expect(made).toMatchObject({ code: 0, stderr: '' })
    const { metadata, nodes }: Workflow = JSON.parse(readFileSync(join(folder, 'mine.json'), 'utf8'))
    expect([metadata.name, nodes.length]).toEqual(['mine', 7])
    expect(await medloom('new', 'mine.json')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('already exists'),
    })
    expect((await medloom('new', 'other.json', '-t', 'no-such')).code).toBe(4)
    expect(existsSync(join(folder, 'other.json'))).toBe(false)
  })

  it('check reads a file without any service: exit 0, or 2 with file, line, place and hint', async () => {
    const nobody = ['--url', 'http://127.0.0.1:9']
    expect(await medloom('check', file('good', 'age > 1'), ...nobody)).toMatchObject({
      code: 0,
      stdout: '2 nodes, 1 connection: no problems\n',
    })
    const bad = workflow(
      { load: ['LoadTabluar', { path: csv }], keep: ['FilterData', { filter_conditon: 'x' }] },
      [],
    )
    writeFileSync(join(folder, 'bad.json'), JSON.stringify(bad, null, 2))
    const { code, stdout } = await medloom('check', 'bad.json', ...nobody)
    expect(code).toBe(2)
    expect(stdout).toMatch(/^error {4}bad\.json:\d+ {2}nodes\.load.*LoadTabluar.*\n.*LoadTabular/m)
    expect(stdout).toMatch(/filter_condition/)
    expect(stdout).toMatch(/errors, 0 warnings$/m)
    const { issues } = JSON.parse((await medloom('check', 'bad.json', '--json')).stdout)
    expect(issues).toEqual(expect.arrayContaining([expect.objectContaining({ node: 'load' })]))
  })

  it('run sends the file, shows each node and the whole, and stays one workflow after a change', async () => {
    const name = file('study', 'age >= 51')
    const first = await medloom('run', name)
    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect(first.stdout).toMatch(/^load {2}(success|cached) .*cases/m)
    expect(first.stdout).toMatch(/^keep {2}success .*cases/m)
    expect(first.stdout).toMatch(/^success after .*: (2 success|1 success, 1 cached)$/m)
    expect(first.stdout).not.toContain('\x1b')

    file('study', 'age >= 52')
    const plan = await medloom('plan', name)
    expect(plan.stdout).toMatch(/^load +reuse /m)
    expect(plan.stdout).toMatch(/^keep +run +.*filter_condition/m)
    const second = await medloom('run', name)
    expect(second.stdout).toMatch(/^load {2}cached/m)
    expect(idOf(second.stdout)).toBe(idOf(first.stdout))
    expect((await workflows.get(idOf(first.stdout))).revision).toBe(2)
    expect((await medloom('status', name)).stdout).toMatch(/^status +success, 100%$/m)
    expect((await medloom('ls')).stdout).toMatch(/ study +2 +2 +success /)
  })

  it('what was changed elsewhere since is not overwritten, and export writes it', async () => {
    const name = file('shared', 'age >= 53')
    const id = idOf((await medloom('run', name)).stdout)
    await workflows.change(id, ({ metadata }) => {
      metadata.description = 'from the page'
    })
    file('shared', 'age >= 54')
    expect(await medloom('run', name)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/changed elsewhere[\s\S]*medloom workflow export/),
    })
    const exported = await medloom('export', id, '--output', name, '--force')
    expect(exported.code).toBe(0)
    expect(readFileSync(join(folder, name), 'utf8')).toBe((await medloom('export', id)).stdout)
    expect((await medloom('run', name)).code).toBe(0)
    const copy = await medloom('import', name)
    expect(idOf(copy.stdout)).not.toBe(id)
  })

  it('diff shows what differs: between revisions, to another workflow, and the draft that is not there', async () => {
    const name = file('compared', 'age >= 51')
    const id = idOf((await medloom('import', name)).stdout)
    await workflows.change(id, (document) => {
      ;(document.nodes[1] as { config: object }).config = { filter_condition: 'age >= 52' }
      document.connections = []
    })
    const { code, stdout } = await medloom('diff', id, '--from', '1', '--to', '2')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^changed +node +keep +config.filter_condition: "age >= 51" → "age >= 52"$/m)
    expect(stdout).toMatch(/^removed +connection +\S+ +load.dataframe > keep.dataset$/m)
    const other = idOf((await medloom('import', file('other-compared', 'age >= 51'))).stdout)
    expect((await medloom('diff', id, other, '--from', '1')).stdout).toMatch(/^changed +metadata +name: /m)
    expect((await medloom('diff', id, '--from', 'newest')).code).toBe(2)
    expect((await medloom('diff', id)).code).toBe(4)
  })

  it('upgrade shows the defaults of an earlier release in a file, and writes those of today when they are accepted', async () => {
    const nobody = ['--url', 'http://127.0.0.1:9']
    const nodes = {
      backbone: ['SelectBackbone', { model_name: 'none' }],
      fusion: ['SelectFusion', {}],
    } as const
    const path = join(folder, 'older.json')
    const write = () => writeFileSync(path, JSON.stringify({ ...workflow(nodes, []), version: '1.0' }))
    const configs = () =>
      (JSON.parse(readFileSync(path, 'utf8')) as Workflow).nodes.map(({ config }) => config)
    write()
    const shown = await medloom('upgrade', 'older.json', ...nobody)
    expect(shown.stdout).toMatch(/^fusion\.members +model\.members +1 +chosen from the data$/m)
    expect(configs()[1]).toEqual({})
    expect((await medloom('upgrade', 'older.json', '--accept', ...nobody)).code).toBe(0)
    expect((await medloom('upgrade', 'older.json', ...nobody)).stdout).toContain('has the current defaults')
    expect(configs()[1]).toEqual({})
    write()
    expect((await medloom('upgrade', 'older.json', '--keep', ...nobody)).code).toBe(0)
    expect(configs()[1]).toEqual({ members: 1, linear_share: 0, missing_token: 'random' })
    expect((await medloom('upgrade', 'older.json', '--keep', '--accept', ...nobody)).code).toBe(2)
  })

  it('a failed run exits 1 with error and trace; --resume continues once it is fixed', async () => {
    const name = file('failing', 'agee >= 55')
    const failed = await medloom('run', name)
    expect(failed.code).toBe(1)
    expect(failed.stdout).toMatch(/^keep {2}error .*agee/m)
    expect(failed.stderr).toMatch(/keep: .*agee[\s\S]*--resume/)
    file('failing', 'age >= 55')
    const resumed = await medloom('run', name, '--resume', '--json')
    expect(resumed.code).toBe(0)
    const messages = resumed.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(messages[0]).toMatchObject({ run_id: expect.any(String) })
    expect(messages.some(({ type }) => type === 'snapshot')).toBe(true)
  })

  it('Ctrl-C stops following (130), the run keeps running; cancel ends it, and its watcher exits 6', async () => {
    writeFileSync(join(folder, 'long.json'), JSON.stringify(longWorkflow(csv)))
    const watcher = command.begin('workflow', 'run', 'long.json')
    await eventually(() => /^data {2,}(success|cached)/m.test(watcher.output()))
    watcher.interrupt()
    const { code, stdout, stderr } = await watcher.ended
    expect([code, stderr]).toEqual([130, expect.stringContaining('medloom workflow cancel')])
    expect((await workflows.status(idOf(stdout))).status).toBe('running')

    const second = command.begin('workflow', 'status', 'long.json', '--watch')
    await eventually(second.output)
    expect((await medloom('cancel', 'long.json')).stdout).toMatch(/is cancelled$/m)
    expect((await second.ended).code).toBe(6)
    expect((await medloom('cancel', 'long.json')).code).toBe(2)
  })

  it('cache is shown, and cleared by workflow and node, never by accident', async () => {
    const name = file('cached', 'age >= 56')
    await medloom('run', name)
    expect((await medloom('cache')).stdout).toMatch(/^\d+ results, \d+ files, /)
    expect((await medloom('cache', 'clear')).code).toBe(2)
    expect((await medloom('cache', 'clear', name, '--node', 'keep')).stdout).toBe('1 result removed\n')
    expect((await medloom('plan', name)).stdout).toMatch(/^keep +run /m)
  })

  it('what does not exist exits 4', async () => {
    for (const args of [
      ['status', '00000000-0000-4000-8000-000000000000'],
      ['run', 'no such name'],
      ['cancel', 'ffffffff'],
      ['status', file('unsent', 'age > 57')],
    ])
      expect((await medloom(...args)).code, args.join(' ')).toBe(4)
  })
})
