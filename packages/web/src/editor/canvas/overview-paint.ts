import type { Tone } from '../../components/status'
import type { Box, Rectangle, Scene, Wire } from './overview-scene'

/** Position and size of the viewport on the screen. */
export interface View {
  readonly x: number
  readonly y: number
  readonly zoom: number
  readonly width: number
  readonly height: number
}
/** idle: no run has reached the node. */
export type BoxTone = Tone | 'idle'
export type Paints = Readonly<Record<BoxTone, Paint>> & {
  readonly wire: string
  readonly chosen: string
  readonly ink: string
  /** Font family. */
  readonly font: string
}
interface Paint {
  readonly fill: string
  readonly line: string
}

/** Below this size on the screen, a status mark is unreadable. */
const MIN_MARKED_PIXELS = 12
/** Below this zoom a wire is a straight line: its bends are shorter than one or two pixels. */
const MIN_BENT_ZOOM = 0.1
/** Above this zoom a short name fits into its node. */
const MIN_NAMED_ZOOM = 0.2
/** Size of names on cards that show nothing else; on the screen a name is never too small to be read. */
const NAME = { size: 24, minPixels: 10, left: 12, line: 1.35 } as const
/** One path with thousands of lines takes longer than the same lines in several paths. */
const WIRES_AT_ONCE = 200

/** Paints the visible part. Each color is set once, independent of the number of nodes. */
export function paint(
  context: CanvasRenderingContext2D,
  scene: Scene,
  view: View,
  { paints, toneOf }: { readonly paints: Paints; readonly toneOf: (node: string) => BoxTone },
): void {
  const { zoom, x, y, width, height } = view
  const visible = { x: -x / zoom, y: -y / zoom, width: width / zoom, height: height / zoom }
  const density = context.canvas.width / Math.max(1, width)
  context.setTransform(1, 0, 0, 1, 0, 0)
  context.clearRect(0, 0, context.canvas.width, context.canvas.height)
  context.setTransform(density * zoom, 0, 0, density * zoom, density * x, density * y)
  const pixel = 1 / zoom
  const wires = scene.wires.filter((wire) => intersects(boundsOf(wire), visible))
  context.lineWidth = 1.25 * pixel
  strokeWires(context, wires, paints.wire, zoom)
  context.lineWidth = 2 * pixel
  const chosen = wires.filter(({ selected }) => selected)
  strokeWires(context, chosen, paints.chosen, zoom)
  const boxes = scene.boxes.filter((box) => intersects(box, visible))
  for (const [tone, group] of byTone(boxes, toneOf)) paintBoxes(context, group, tone, paints[tone], zoom)
  if (zoom >= MIN_NAMED_ZOOM) paintNames(context, boxes, paints, zoom)
  context.lineWidth = 3 * pixel
  outline(context, boxes, ({ failing }) => failing, paints.bad.line)
  outline(context, boxes, ({ selected }) => selected, paints.chosen)
}

function intersects(one: Rectangle, other: Rectangle): boolean {
  return (
    one.x <= other.x + other.width &&
    other.x <= one.x + one.width &&
    one.y <= other.y + other.height &&
    other.y <= one.y + one.height
  )
}

function boundsOf({ from, to }: Wire): Rectangle {
  const [width, height] = [Math.abs(from.x - to.x), Math.abs(from.y - to.y)]
  // A wire that runs backwards bends outwards on both sides.
  const bend = from.x > to.x ? width / 2 : 0
  return {
    x: Math.min(from.x, to.x) - bend,
    y: Math.min(from.y, to.y),
    width: width + 2 * bend,
    height,
  }
}

function strokeWires(
  context: CanvasRenderingContext2D,
  wires: readonly Wire[],
  color: string,
  zoom: number,
): void {
  context.strokeStyle = color
  for (let first = 0; first < wires.length; first += WIRES_AT_ONCE) {
    context.beginPath()
    for (const { from, to } of wires.slice(first, first + WIRES_AT_ONCE)) {
      context.moveTo(from.x, from.y)
      if (zoom < MIN_BENT_ZOOM) context.lineTo(to.x, to.y)
      else {
        const bend = Math.abs(to.x - from.x) / 2
        context.bezierCurveTo(from.x + bend, from.y, to.x - bend, to.y, to.x, to.y)
      }
    }
    context.stroke()
  }
}

function byTone(boxes: readonly Box[], toneOf: (node: string) => BoxTone): Map<BoxTone, Box[]> {
  const groups = new Map<BoxTone, Box[]>()
  for (const box of boxes) {
    const tone = toneOf(box.id)
    const group = groups.get(tone)
    if (group) group.push(box)
    else groups.set(tone, [box])
  }
  return groups
}

function paintBoxes(
  context: CanvasRenderingContext2D,
  boxes: readonly Box[],
  tone: BoxTone,
  { fill, line }: Paint,
  zoom: number,
): void {
  const pixel = 1 / zoom
  // Two filled rectangles are faster than one with a stroke.
  context.fillStyle = line
  for (const { x, y, width, height } of boxes) context.fillRect(x, y, width, height)
  context.fillStyle = fill
  for (const { x, y, width, height } of boxes)
    context.fillRect(x + pixel, y + pixel, width - 2 * pixel, height - 2 * pixel)
  context.strokeStyle = line
  context.lineWidth = 2 * pixel
  context.beginPath()
  const top = zoom < MIN_NAMED_ZOOM ? 0 : nameSize(zoom) * NAME.line
  for (const { x, y, width, height } of boxes)
    if (height * zoom >= MIN_MARKED_PIXELS)
      mark(context, { x, y: y + top, width, height: height - top }, tone)
  context.stroke()
}

const nameSize = (zoom: number): number => Math.max(NAME.size, NAME.minPixels / zoom)

/** Paints each name within its node; a longer name is cut and ends with "…". */
function paintNames(
  context: CanvasRenderingContext2D,
  boxes: readonly Box[],
  { ink, font }: Paints,
  zoom: number,
): void {
  const size = nameSize(zoom)
  context.fillStyle = ink
  context.font = `600 ${size}px ${font}`
  const fitting = new Map<string, string>()
  for (const { name, x, y, width } of boxes) {
    const key = `${width} ${name}`
    const fits =
      fitting.get(key) ?? fitName(name, width - 2 * NAME.left, (text) => context.measureText(text).width)
    fitting.set(key, fits)
    context.fillText(fits, x + NAME.left, y + size * NAME.line)
  }
}

/** Longest prefix of a name that fits into the available width. */
export function fitName(name: string, room: number, widthOf: (text: string) => number): string {
  if (widthOf(name) <= room) return name
  const letters = [...name]
  let [fits, over] = [0, letters.length]
  while (over - fits > 1) {
    const middle = (fits + over) >> 1
    if (widthOf(cutName(letters, middle)) <= room) fits = middle
    else over = middle
  }
  return fits === 0 ? '' : cutName(letters, fits)
}

const cutName = (letters: readonly string[], count: number): string =>
  `${letters.slice(0, count).join('').trimEnd()}…`

/** Draws the status as a shape, so that it does not depend on color: done, failed, running. */
function mark(context: CanvasRenderingContext2D, { x, y, width, height }: Rectangle, tone: BoxTone): void {
  const [middleX, middleY, size] = [x + width / 2, y + height / 2, height / 5]
  const to = (points: readonly (readonly [number, number])[]) =>
    points.forEach(([right, down], index) => {
      const point = [middleX + right * size, middleY + down * size] as const
      if (index === 0) context.moveTo(...point)
      else context.lineTo(...point)
    })
  if (tone === 'good') to([[-1, 0], [-0.3, 0.8], [1, -0.8]]) // biome-ignore format: a drawing
  if (tone === 'bad') {
    to([[-1, -1], [1, 1]]) // biome-ignore format: a drawing
    to([[-1, 1], [1, -1]]) // biome-ignore format: a drawing
  }
  if (tone === 'running') to([[-0.7, -1], [1, 0], [-0.7, 1], [-0.7, -1]]) // biome-ignore format: a drawing
}

function outline(
  context: CanvasRenderingContext2D,
  boxes: readonly Box[],
  which: (box: Box) => boolean,
  color: string,
): void {
  context.strokeStyle = color
  for (const box of boxes) if (which(box)) context.strokeRect(box.x, box.y, box.width, box.height)
}
