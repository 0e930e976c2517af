'use strict';
// Numbers as the reports of the command have them (report/numbers.hpp), digit for digit: a test
// compares the two. A figure is [value, low, high, source]; an end that is not known is null.
(function () {
  const most = 3;

  // "d.dde+xx" as C's printf has it: of two that are equally near, the even one, where JavaScript takes the larger.
  function exponential(value, digits) {
    const parts = value.toExponential(digits - 1).split('e');
    const exact = Math.abs(value).toExponential(60).split('e'), all = exact[0].replace('.', '');
    if (/^50*$/.test(all.slice(digits)) && Number(all[digits - 1]) % 2 === 0) {
      parts[0] = (value < 0 ? '-' : '') + all[0] + (digits > 1 ? '.' + all.slice(1, digits) : '');
      parts[1] = exact[1];
    }
    const power = Number(parts[1]), size = String(Math.abs(power));
    return parts[0] + 'e' + (power < 0 ? '-' : '+') + (size.length < 2 ? '0' : '') + size;
  }
  function exponentOf(text) { return Number(text.split('e')[1]); }
  function rounded(value, digits) { return Number.isFinite(value) && value !== 0 ? Number(exponential(value, digits)) : value; }
  function power(exponent) { return Number('1e' + exponent); }

  function significant(value, digits = most) {
    if (!Number.isFinite(value)) return '-';
    if (value === 0) return '0';
    const text = exponential(value, digits), exponent = exponentOf(text);
    if (exponent < -4 || exponent > 8) return text;
    // Digits before the point are all told.
    return String(exponent >= digits ? wholeOf(value) : Number(text));
  }
  // The nearest whole number; of two the even one.
  function wholeOf(value) {
    const below = Math.floor(value), part = value - below;
    return part > 0.5 || (part === 0.5 && below % 2 !== 0) ? below + 1 : below;
  }
  function prefixed(value, unit, digits = most) {
    if (!Number.isFinite(value)) return '-';
    if (value === 0) return '0 ' + unit;
    const step = Math.max(-8, Math.min(8, Math.floor(exponentOf(exponential(value, digits)) / 3)));
    const scaled = step > 0 ? value / power(3 * step) : value * power(-3 * step);
    const prefix = ['y', 'z', 'a', 'f', 'p', 'n', '\u00b5', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E', 'Z', 'Y'][step + 8];
    return significant(rounded(scaled, digits), digits) + ' ' + prefix + unit;
  }
  function duration(seconds) {
    const size = Math.abs(seconds);
    if (!Number.isFinite(seconds)) return '-';
    if (size === 0) return '0 s';
    if (size >= 0.9995) return significant(seconds) + ' s';
    if (size >= 0.9995e-3) return significant(seconds * 1e3) + ' ms';
    if (size >= 0.9995e-6) return significant(seconds * 1e6) + ' \u00b5s';
    return significant(seconds * 1e9) + ' ns';
  }
  function percent(part) {
    const value = part * 100, size = Math.abs(value);
    if (!Number.isFinite(part)) return '-';
    if (value === 0) return '0%';
    if (size < 0.1) return value < 0 ? '>-0.1%' : '<0.1%';
    return (size < 9.95 ? significant(value, 2) : significant(Math.sign(value) * Math.round(size), 9)) + '%';
  }
  // In a sentence: "81 %".
  function percentText(part) { return percent(part).replace('%', ' %'); }
  function whole(count) { return count < 1e6 ? String(count) : prefixed(count, '').replace(' ', ''); }

  // ---- what the range of a number carries ---------------------------------------------------------
  // The rule of text/digits.hpp: down to the decimal place of the spread's first digit, one at least and three at most.
  function carriedDigits(value, low, high) {
    const spread = Math.max(low == null ? 0 : value - low, high == null ? 0 : high - value);
    if (!Number.isFinite(value) || value === 0 || !(spread > 0)) return most;
    if (!isBounded(spread)) return 1;
    const place = function (number) { return exponentOf(exponential(number, 16)); };
    return Math.min(most, Math.max(1, place(value) - place(spread) + 1));
  }
  // What has no upper bound has the largest number there.
  function isBounded(end) { return end < 1e300; }
  function isRange(figure) { return figure[1] != null || figure[2] != null; }
  // A sample saw none: its bound is all that is known.
  function isUnsureZero(figure) { return figure[0] === 0 && figure[2] > 0 && isBounded(figure[2]); }
  // `told` makes words of a number and so many digits of it: "~" before the middle of a range.
  function carried(figure, told) {
    if (isUnsureZero(figure)) return '0 to ' + told(rounded(figure[2], most), most);
    if (!isRange(figure)) return told(figure[0], most);
    const digits = carriedDigits(figure[0], figure[1], figure[2]);
    return '~' + told(rounded(figure[0], digits), digits);
  }
  // The ends with one digit more than the middle.
  function interval(figure, told) {
    const middle = carried(figure, told);
    if (!isRange(figure) || isUnsureZero(figure)) return middle;
    const digits = Math.min(carriedDigits(figure[0], figure[1], figure[2]) + 1, most);
    const end = function (value) { return told(rounded(value == null ? figure[0] : value, digits), most); };
    const low = end(figure[1]);
    if (figure[2] != null && !isBounded(figure[2])) return middle + ' (at least ' + low + ')';
    const high = end(figure[2]);
    return low === high ? middle : middle + ' (' + low + ' to ' + high + ')';
  }
  // Of a number that is off by up to so much of itself: not a range, so that no "~" stands before it.
  function withinShare(value, spread) {
    if (!(spread > 0)) return value;
    const off = Math.abs(value) * spread;
    return rounded(value, carriedDigits(value, value - off, value + off));
  }

  window.roofmarkNumbers = {significant: significant, prefixed: prefixed, duration: duration, percent: percent, percentText: percentText,
      whole: whole, carriedDigits: carriedDigits, isUnsureZero: isUnsureZero, carried: carried, interval: interval, withinShare: withinShare};
})();
