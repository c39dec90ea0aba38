// The page asks the REST interface every two seconds while it is looked at, and shows what it says. Text goes into the page
// as text, never as markup. Any coordinator will do: one that does not lead asks the leader.
'use strict';

const INTERVAL_MS = 2000;
const SHOWN_MS = 5 * 60 * 1000;
const EVENTS = 200;
const ROWS = 200;
const byId = (id) => document.getElementById(id);
const state = { token: sessionStorage.getItem('sluice.token') || '', role: 'NOBODY', last: null, term: 0, seen: 0, chosen: null };
const series = { pushed: [], fetched: [], spilled: [] };

function bytes(value) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return (unit === 0 ? Math.round(value) : value.toFixed(1)) + ' ' + units[unit];
}

function count(number, what) {
  return number + ' ' + what + (number === 1 ? '' : 's');
}

function element(name, text, attributes) {
  const made = document.createElement(name);
  if (text !== undefined && text !== null) {
    made.textContent = String(text);
  }
  Object.entries(attributes || {}).forEach(([key, value]) => made.setAttribute(key, value));
  return made;
}

async function call(method, path) {
  const headers = state.token ? { authorization: 'Bearer ' + state.token } : {};
  const answer = await fetch('/api/v1' + path, { method, headers, cache: 'no-store' });
  if (answer.status === 204) {
    return null;
  }
  const body = await answer.json().catch(() => ({}));
  if (!answer.ok) {
    const error = body.error || { code: 'HTTP ' + answer.status, message: '' };
    throw Object.assign(new Error(error.code + ': ' + error.message), { code: error.code });
  }
  return body;
}

function complain(problem) {
  byId('problem').textContent = problem ? problem.message || String(problem) : '';
  byId('problem').hidden = !problem;
}

function confirmed(question) {
  return new Promise((resolve) => {
    const dialog = byId('confirm');
    byId('confirm-text').textContent = question;
    byId('confirm-yes').onclick = () => dialog.close('yes');
    byId('confirm-no').onclick = () => dialog.close('no');
    dialog.onclose = () => resolve(dialog.returnValue === 'yes');
    dialog.returnValue = '';
    dialog.showModal();
    byId('confirm-no').focus();
  });
}

async function change(method, path, question) {
  const before = document.activeElement;
  if (!(await confirmed(question))) {
    return;
  }
  try {
    await call(method, path).catch(async (problem) => {
      if (problem.code !== 'TOO_FEW_SERVERS' || !(await confirmed(problem.message + '. Do it all the same?'))) {
        throw problem;
      }
      return call(method, path + '?force=true');
    });
  } catch (problem) {
    complain(problem);
    return;
  }
  await refresh();
  // The control may have been made anew while the question was asked.
  if (!before.isConnected) {
    successor(before)?.focus();
  }
}

// What does the same as a control that is not there any more; the list it was in if that has gone too.
function successor(control) {
  return document.querySelector('[data-does="' + CSS.escape(control.dataset.does || '') + '"]') || byId('main');
}

// `does` names a control for as long as the page is open, whatever is written on it.
function button(label, spoken, does, action) {
  const made = element('button', label, { type: 'button', 'aria-label': spoken, 'data-does': does });
  made.addEventListener('click', action);
  return made;
}

function cell(label, content) {
  const made = element('td', typeof content === 'object' ? null : content, { role: 'cell', 'data-label': label });
  if (typeof content === 'object') {
    made.append(...[].concat(content));
  }
  return made;
}

// Rows are kept by id, and only cells that have changed are replaced: whoever tabs through the page stays where they are, also when the
// control they are at comes to say something else.
function fill(body, items, id, render) {
  const rows = new Map([...body.children].map((row) => [row.dataset.id, row]));
  const held = body.contains(document.activeElement) ? document.activeElement : null;
  const ids = new Set(items.map(id));
  rows.forEach((row, key) => ids.has(key) || row.remove());
  items.forEach((item, place) => {
    const row = rows.get(id(item)) || element('tr', null, { role: 'row', 'data-id': id(item) });
    const cells = render(item);
    cells.forEach((fresh, i) => {
      const old = row.children[i];
      if (!old) {
        row.append(fresh);
      } else if (!old.isEqualNode(fresh)) {
        old.replaceWith(fresh);
      }
    });
    while (row.children.length > cells.length) {
      row.lastChild.remove();
    }
    if (body.children[place] !== row) {
      body.insertBefore(row, body.children[place] || null);
    }
  });
  if (held && !held.isConnected) {
    successor(held).focus();
  }
}

function figures(cluster) {
  const states = Object.entries(cluster.servers).filter(([, count]) => count > 0);
  const list = {
    Servers: states.map(([name, count]) => count + ' ' + name.toLowerCase()).join(', ') || 'none',
    Applications: cluster.applications,
    Shuffles: cluster.shuffles,
    'Memory in use': bytes(cluster.memory_used_bytes) + ' of ' + bytes(cluster.memory_capacity_bytes),
    'Capacity in use': Math.round(cluster.load * 100) + ' %',
    'Written in all': bytes(cluster.pushed_bytes),
    'Read in all': bytes(cluster.fetched_bytes),
    'Spilled in all': bytes(cluster.spilled_bytes),
  };
  byId('figures').replaceChildren(...Object.entries(list).map(([name, value]) => {
    const group = element('div');
    group.append(element('dt', name), element('dd', value));
    return group;
  }));
  byId('leader').textContent = 'Leader ' + cluster.leader + ', term ' + cluster.term + (state.role === 'READER' ? '; you may look' : '');
}

// A rate is the difference of two answers. There is none if other servers were added up in them (one came, went or was restarted, or a
// new leader has not heard all yet), or if too much time lies between.
function sample(cluster) {
  const now = performance.now();
  const before = state.last;
  state.last = { now, cluster };
  if (!before) {
    return;
  }
  const elapsed = now - before.now;
  const comparable = before.cluster.counted_lives === cluster.counted_lives && elapsed < 3 * INTERVAL_MS;
  Object.keys(series).forEach((name) => {
    const key = name + '_bytes';
    const points = series[name];
    points.push({ now, rate: comparable ? Math.max(0, (cluster[key] - before.cluster[key]) * 1000 / elapsed) : null });
    while (points[0].now < now - SHOWN_MS) {
      points.shift();
    }
    draw(name, now);
  });
}

function draw(name, now) {
  const points = series[name];
  const most = Math.max(0, ...points.map((point) => point.rate || 0));
  let open = false;
  const line = points.filter((point) => {
    const drawn = point.rate !== null;
    point.step = open ? 'L' : 'M';
    open = drawn;
    return drawn;
  }).map((point) => {
    const x = 300 - (now - point.now) * 300 / SHOWN_MS;
    return point.step + x.toFixed(1) + ' ' + (78 - 76 * (most > 0 ? point.rate / most : 0)).toFixed(1);
  });
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', line.join(' '));
  byId(name).replaceChildren(path);
  const latest = points[points.length - 1].rate;
  byId(name + '-now').textContent = (latest === null ? 'not known now' : bytes(latest) + '/s now') + ', at most ' + bytes(most) + '/s in five minutes';
}

function disks(server) {
  if (server.load.disks.length === 0) {
    return [element('span', 'none reported')];
  }
  return server.load.disks.map((disk) => {
    const used = disk.capacity_bytes - disk.free_bytes;
    const line = element('div', disk.path + (disk.tier ? ' (' + disk.tier + ')' : ''), disk.healthy ? {} : { class: 'broken' });
    line.append(element('small', disk.healthy ? bytes(used) + ' of ' + bytes(disk.capacity_bytes) + ' in use' : 'not healthy'));
    return line;
  });
}

function serverRow(server) {
  const name = server.address.host + ':' + server.address.port;
  const place = [server.zone, server.rack].filter(Boolean).join(' / ');
  const said = [place, server.tags.join(', ')].filter(Boolean).join(' · ');
  const notes = [server.draining ? (server.drained ? 'drained' : 'to be drained') : '', server.excluded ? 'excluded' : ''].filter(Boolean);
  const meter = element('meter', null, { min: 0, max: Math.max(1, server.load.memory_capacity_bytes), value: server.load.memory_used_bytes, 'aria-label': 'memory in use on ' + name });
  const cells = [
    cell('Server', [element('strong', name), element('small', server.id), element('small', server.version)].concat(said ? [element('small', said)] : [])),
    cell('State', [element('span', server.state.toLowerCase(), { class: server.state }), element('small', notes.join(', '))]),
    cell('Memory', server.reported === false ? [element('span', 'not reported yet')] : [meter, element('small', bytes(server.load.memory_used_bytes) + ' of ' + bytes(server.load.memory_capacity_bytes))]),
    cell('Disks', disks(server)),
    cell('Load', [element('div', count(server.load.partitions, 'partition')), element('div', count(server.load.connections, 'connection'))]),
  ];
  if (state.role === 'ADMIN') {
    cells.push(cell('Change', serverButtons(server, name)));
  }
  return cells;
}

function serverButtons(server, name) {
  const path = '/servers/' + server.id;
  return [
    server.draining
      ? button('Undrain', 'Undrain ' + name, 'drain ' + server.id, () => change('DELETE', path + '/drain', 'Let ' + name + ' take data again?'))
      : button('Drain', 'Drain ' + name, 'drain ' + server.id, () => change('PUT', path + '/drain', 'Drain ' + name + '? It takes no new data and serves what it has until that is gone.')),
    server.excluded
      ? button('Include', 'Include ' + name, 'exclude ' + server.id, () => change('DELETE', path + '/exclusion', 'Place new shuffles on ' + name + ' again?'))
      : button('Exclude', 'Exclude ' + name, 'exclude ' + server.id, () => change('PUT', path + '/exclusion', 'Place no new shuffles on ' + name + '?')),
  ];
}

function applicationRow(application) {
  const name = application.engine_id || application.id;
  const buttons = [button('Details', 'Details of ' + name, 'show ' + application.id, () => { state.chosen = application.id; detail(); })];
  if (state.role === 'ADMIN') {
    buttons.push(button('End', 'End ' + name, 'end ' + application.id, () => change('DELETE', '/applications/' + application.id, 'End ' + name + ' and drop its data? It cannot come back.')));
  }
  return [
    cell('Application', [element('strong', name), element('small', application.id)]),
    cell('User', application.user),
    cell('Since', new Date(application.registered_at_millis).toLocaleString()),
    cell('Shuffles', application.shuffles),
    cell('Bytes', bytes(application.bytes)),
    cell('Partitions', application.partitions),
    cell('Actions', buttons),
  ];
}

async function detail() {
  const box = byId('detail');
  if (!state.chosen) {
    return;
  }
  try {
    const [one, shuffles] = await Promise.all([
      call('GET', '/applications/' + state.chosen),
      call('GET', '/applications/' + state.chosen + '/shuffles?limit=' + ROWS),
    ]);
    const title = element('h3', one.application.engine_id + ': ' + bytes(one.application.bytes) + ' on ' + count(one.servers.length, 'server'));
    const skew = element('p', 'The fullest server holds ' + one.skew.toFixed(2) + ' times the mean.');
    const list = element('ul');
    shuffles.items.forEach((shuffle) => list.append(element('li', 'shuffle ' + shuffle.shuffle + (shuffle.generation ? ' (generation ' + shuffle.generation + ')' : '')
      + ': ' + (shuffle.earlier
        ? count(shuffle.copies, 'replica') + ' of partitions, placed by an earlier leader: its driver knows where'
        : count(shuffle.partitions, 'partition') + ' × ' + shuffle.replicas + ' on ' + count(shuffle.servers, 'server') + ', the fullest with ' + shuffle.skew.toFixed(2) + ' times the mean of partitions'
          + (shuffle.apart === 'SERVER' ? ', copies share hosts' : '')))));
    box.replaceChildren(title, skew, list);
  } catch (problem) {
    state.chosen = null;
    box.replaceChildren(element('p', problem.message));
  }
}

function events(told) {
  const list = byId('event-rows');
  if (told.term !== state.term) {
    state.term = told.term;
    state.seen = 0;
    list.replaceChildren();
  }
  told.events.filter((event) => event.number > state.seen).forEach((event) => {
    const at = new Date(event.at_millis);
    const line = element('li');
    line.append(element('time', at.toLocaleTimeString(), { datetime: at.toISOString() }), element('span', event.kind.toLowerCase() + ' ' + event.subject + ': ' + event.text));
    list.prepend(line);
    state.seen = event.number;
  });
  while (list.children.length > EVENTS) {
    list.lastChild.remove();
  }
}

function more(id, page, what) {
  const note = byId(id);
  note.textContent = page.next ? 'The first ' + page.items.length + ' ' + what + '; the command line and the REST interface list all.' : 'No ' + what + '.';
  note.hidden = !page.next && page.items.length > 0;
}

async function admit() {
  state.role = (await call('GET', '/access')).role;
  byId('access').hidden = state.role === 'ADMIN' && !state.token;
  byId('change-title').hidden = state.role !== 'ADMIN';
  if (state.role === 'NOBODY') {
    byId('leader').textContent = '';
    throw new Error('This coordinator asks for a token: the one in coordinator.http.read-token-file to look, the one in coordinator.http.admin-token-file to change things.');
  }
}

async function refresh() {
  try {
    await admit();
    const [cluster, servers, applications, told] = await Promise.all([
      call('GET', '/cluster'),
      call('GET', '/servers?limit=' + ROWS),
      call('GET', '/applications?limit=' + ROWS),
      call('GET', '/events?limit=' + EVENTS + '&after=' + state.seen),
    ]);
    figures(cluster);
    sample(cluster);
    fill(byId('server-rows'), servers.items, (server) => server.id, serverRow);
    fill(byId('application-rows'), applications.items, (application) => application.id, applicationRow);
    more('server-more', servers, 'servers');
    more('application-more', applications, 'applications');
    events(told.term === state.term || state.seen === 0 ? told : await call('GET', '/events?limit=' + EVENTS));
    complain(null);
    await detail();
  } catch (problem) {
    complain(problem);
  }
}

async function run() {
  if (!document.hidden) {
    await refresh();
  }
  setTimeout(run, INTERVAL_MS);
}

// For as long as this tab is open; another tab does not see it.
function useToken(token) {
  state.token = token;
  byId('token').value = '';
  byId('forget').hidden = !token;
  sessionStorage.setItem('sluice.token', token);
  refresh();
}

byId('access').addEventListener('submit', (event) => {
  event.preventDefault();
  useToken(byId('token').value.trim());
});
byId('forget').addEventListener('click', () => {
  useToken('');
  byId('token').focus();
});
byId('forget').hidden = !state.token;
run();
