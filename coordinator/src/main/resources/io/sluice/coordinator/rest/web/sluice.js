// The page asks the REST interface every two seconds while it is looked at, and shows what it says. Text goes into the page
// as text, never as markup. Any coordinator will do: one that does not lead asks the leader.
'use strict';

const INTERVAL_MS = 2000;
const SAMPLES = 150;
const EVENTS = 200;
const ROWS = 200;
const byId = (id) => document.getElementById(id);
const state = { token: sessionStorage.getItem('sluice.token') || '', last: null, term: 0, seen: 0, chosen: null };
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
    throw new Error(error.code + ': ' + error.message);
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
  if (!(await confirmed(question))) {
    return;
  }
  try {
    await call(method, path);
    complain(null);
  } catch (problem) {
    complain(problem);
    return;
  }
  refresh();
}

function button(label, spoken, action) {
  const made = element('button', label, { type: 'button', 'aria-label': spoken });
  made.addEventListener('click', action);
  return made;
}

function cell(row, label, content) {
  const made = element('td', typeof content === 'object' ? null : content, { 'data-label': label });
  if (typeof content === 'object') {
    made.append(...[].concat(content));
  }
  row.append(made);
  return made;
}

// Rows are kept by id and only their cells made anew, and not while the focus is in one: whoever tabs through the page stays where
// they are.
function fill(body, items, id, render) {
  const rows = new Map([...body.children].map((row) => [row.dataset.id, row]));
  items.forEach((item, place) => {
    const key = id(item);
    const row = rows.get(key) || element('tr', null, { 'data-id': key });
    rows.delete(key);
    if (!row.contains(document.activeElement)) {
      row.replaceChildren();
      render(row, item);
    }
    if (body.children[place] !== row) {
      body.insertBefore(row, body.children[place] || null);
    }
  });
  rows.forEach((row) => row.remove());
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
  byId('leader').textContent = 'leader ' + cluster.leader + ', term ' + cluster.term;
}

function sample(cluster) {
  const now = performance.now();
  const before = state.last;
  state.last = { now, cluster };
  if (!before) {
    return;
  }
  const seconds = (now - before.now) / 1000;
  Object.keys(series).forEach((name) => {
    const key = name + '_bytes';
    // Counters of a server that came or went, or another leader's: no rate below zero.
    const rate = Math.max(0, (cluster[key] - before.cluster[key]) / seconds);
    series[name].push(rate);
    if (series[name].length > SAMPLES) {
      series[name].shift();
    }
    draw(name);
  });
}

function draw(name) {
  const values = series[name];
  const most = Math.max(1, ...values);
  const points = values.map((value, i) => {
    const x = 300 - (values.length - 1 - i) * (300 / (SAMPLES - 1));
    return (i === 0 ? 'M' : 'L') + x.toFixed(1) + ' ' + (78 - 76 * (value / most)).toFixed(1);
  });
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', points.join(' '));
  byId(name).replaceChildren(path);
  byId(name + '-now').textContent = bytes(values[values.length - 1]) + '/s now, at most ' + bytes(most) + '/s in five minutes';
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

function serverRow(row, server) {
  const name = server.address.host + ':' + server.address.port;
  const title = element('strong', name);
  cell(row, 'Server', [title, element('small', server.id)]);
  const notes = [server.draining ? (server.drained ? 'drained' : 'to be drained') : '', server.excluded ? 'excluded' : ''].filter(Boolean);
  cell(row, 'State', [element('span', server.state, { class: server.state }), element('small', notes.join(', '))]);
  const meter = element('meter', null, { min: 0, max: Math.max(1, server.load.memory_capacity_bytes), value: server.load.memory_used_bytes, 'aria-label': 'memory in use on ' + name });
  cell(row, 'Memory', [meter, element('small', bytes(server.load.memory_used_bytes) + ' of ' + bytes(server.load.memory_capacity_bytes))]);
  cell(row, 'Disks', disks(server));
  cell(row, 'Partitions', server.load.partitions);
  cell(row, 'Connections', server.load.connections);
  cell(row, 'Version', server.version);
  const path = '/servers/' + server.id;
  cell(row, 'Change', [
    server.draining
      ? button('Undrain', 'let ' + name + ' take data again', () => change('DELETE', path + '/drain', 'Let ' + name + ' take data again?'))
      : button('Drain', 'drain ' + name, () => change('PUT', path + '/drain', 'Drain ' + name + '? It takes no new data and serves what it has until that is gone.')),
    server.excluded
      ? button('Include', 'place shuffles on ' + name + ' again', () => change('DELETE', path + '/exclusion', 'Place new shuffles on ' + name + ' again?'))
      : button('Exclude', 'place no new shuffles on ' + name, () => change('PUT', path + '/exclusion', 'Place no new shuffles on ' + name + '?')),
  ]);
}

function applicationRow(row, application) {
  cell(row, 'Application', [element('strong', application.engine_id || application.id), element('small', application.id)]);
  cell(row, 'User', application.user);
  cell(row, 'Since', new Date(application.registered_at_millis).toLocaleString());
  cell(row, 'Shuffles', application.shuffles);
  cell(row, 'Bytes', bytes(application.bytes));
  cell(row, 'Partitions', application.partitions);
  cell(row, 'Look', [
    button('Details', 'details of ' + application.engine_id, () => { state.chosen = application.id; detail(); }),
    button('End', 'end ' + application.engine_id, () => change('DELETE', '/applications/' + application.id, 'End ' + application.engine_id + ' and drop its data? It cannot come back.')),
  ]);
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
    const title = element('h3', one.application.engine_id + ': ' + bytes(one.application.bytes) + ' on ' + one.servers.length + ' servers');
    const skew = element('p', 'The fullest server holds ' + one.skew.toFixed(2) + ' times the mean.');
    const list = element('ul');
    shuffles.items.forEach((shuffle) => list.append(element('li', 'shuffle ' + shuffle.shuffle + (shuffle.generation ? ' (generation ' + shuffle.generation + ')' : '')
      + ': ' + shuffle.partitions + ' partitions × ' + shuffle.replicas + ' on ' + shuffle.servers + ' servers, partitions at most ' + shuffle.skew.toFixed(2) + ' times the mean')));
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
  byId(id).textContent = page.next ? 'The first ' + page.items.length + ' ' + what + '; the command line and the REST interface list all.' : '';
  byId(id).hidden = !page.next;
}

async function refresh() {
  try {
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

byId('access').addEventListener('submit', (event) => {
  event.preventDefault();
  state.token = byId('token').value.trim();
  byId('token').value = '';
  sessionStorage.setItem('sluice.token', state.token);
  refresh();
});
run();
