'use strict';
// Each message is the new body of the page. Its picture is loaded before the body is replaced, to avoid flicker.
const main = document.querySelector('main');
const connection = document.getElementById('connection');
let latest = 0;

const source = new EventSource('/events');
source.onopen = () => { connection.hidden = true; };
source.onerror = () => { connection.hidden = false; };
source.onmessage = async (message) => {
  const sequence = ++latest;
  const next = document.createElement('main');
  next.innerHTML = message.data;
  const picture = next.querySelector('#picture');
  const before = main.querySelector('#picture');
  if (picture && before && picture.src === before.src) {
    picture.replaceWith(before.cloneNode());
  } else if (picture && !picture.complete) {
    await new Promise((loaded) => { picture.onload = picture.onerror = loaded; });
  }
  if (sequence === latest) {
    const scrolled = main.querySelector('.wide')?.scrollLeft;
    main.replaceChildren(...next.childNodes);
    const wide = main.querySelector('.wide');
    if (wide && scrolled) wide.scrollLeft = scrolled;
  }
};
